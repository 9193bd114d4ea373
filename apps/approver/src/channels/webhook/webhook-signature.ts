/** The signature of Standard Webhooks: made with every secret, and good when it was made with any of them. */
import { Webhook } from 'standardwebhooks';

export interface SignedHeaders {
  readonly 'webhook-id': string;
  readonly 'webhook-timestamp': string;
  readonly 'webhook-signature': string;
}

/** `at` in milliseconds since 1970. */
export function signedHeaders(secrets: readonly string[], id: string, at: number, body: string): SignedHeaders {
  const date = new Date(at);
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at / 1_000)),
    'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(id, date, body)).join(' '),
  };
}

/** True for a body that one of the secrets signed within the last or next five minutes. */
export function isSigned(secrets: readonly string[], headers: SignedHeaders, body: Buffer): boolean {
  return secrets.some((secret) => {
    try {
      new Webhook(secret).verify(body, { ...headers }, { jsonParse: false });
      return true;
    } catch {
      return false;
    }
  });
}
