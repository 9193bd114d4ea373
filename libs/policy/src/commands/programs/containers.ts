/** Containers and clusters: what they can say without reaching the network or showing secrets. */
import { NO_FILES, type ProgramFamily, type ReadTest } from './program.js';

const QUERIES =
  /^(?:ps|images|version|info|top|port|history|diff|(?:image|container|volume|network|context|builder) ls|(?:image|container) list|compose (?:ps|ls|version|images)|system (?:df|info)|stats --no-stream)(?: |$)/;
const REMOTE = /(?:^| )(?:-H|-c|--host|--context|--config|--connection|--url|-l)(?:[ =]|$)/;

const asksDaemon: ReadTest = (args) => {
  const text = args.map((word) => word.value).join(' ');
  return QUERIES.test(text) && !REMOTE.test(text);
};

const KUBECTL =
  /^(?:version --client(?: |$)|config (?:current-context|get-contexts|get-clusters|get-users)$|api-versions --help$|options$)/;

export const CONTAINER_PROGRAMS: ProgramFamily = {
  docker: { reads: asksDaemon },
  podman: { reads: asksDaemon },
  nerdctl: { reads: asksDaemon },
  kubectl: { reads: (args) => KUBECTL.test(args.map((word) => word.value).join(' ')), operands: NO_FILES },
};
