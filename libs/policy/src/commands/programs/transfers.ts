/** Programs that carry data over the network, with the files that they write. */
import { words, type OperandRow, type ProgramFamily } from './program.js';

const CURL_WRITES = words('-o --output -D --dump-header -c --cookie-jar --output-dir');
const CURL_READS = words('-T --upload-file -K --config -E --cert --key --cacert');
const WGET_WRITES = words('-O --output-document -o --output-file -a --append-output -P --directory-prefix');
const WGET_READS = words('-i --input-file --post-file --body-file --certificate --private-key');

export const TRANSFER_PROGRAMS: ProgramFamily = {
  curl: { operands: addressed(CURL_WRITES, CURL_READS) },
  wget: { operands: addressed(WGET_WRITES, WGET_READS) },
};

/** The operands are addresses; only some flags name files. */
function addressed(writeFlags: readonly string[], readFlags: readonly string[]): OperandRow {
  const valueFlags = [...writeFlags, ...readFlags];
  return { access: 'read', skip: Number.POSITIVE_INFINITY, valueFlags, writeFlags, readFlags };
}
