/** Signs a person in: by the one-time code of a link, or by an approver key. Nothing happens before a press of the button. */
import { post } from './door.js';

const withCode = document.getElementById('with-code');
const withKey = document.getElementById('with-key');
const trouble = document.getElementById('trouble');

const code = takeCode();
if (code !== null) {
  withCode.hidden = false;
  withCode.querySelector('button').focus();
} else {
  document.getElementById('key').focus();
}

withCode.addEventListener('submit', (event) => {
  event.preventDefault();
  void signIn({ code });
});

withKey.addEventListener('submit', (event) => {
  event.preventDefault();
  const field = document.getElementById('key');
  const key = field.value.trim();
  field.value = '';
  void signIn({ key });
});

/** Reads the code from the fragment (or the query) and takes it out of the address, so that no history keeps it. */
function takeCode() {
  const found =
    new URLSearchParams(location.hash.slice(1)).get('code') ?? new URLSearchParams(location.search).get('code');
  if (found !== null) history.replaceState(null, '', '/sign-in');
  return found;
}

async function signIn(proof) {
  trouble.hidden = true;
  try {
    await post('/sign-in', proof);
    location.replace('/');
  } catch (error) {
    withCode.hidden = true;
    trouble.textContent = error.message;
    trouble.hidden = false;
  }
}
