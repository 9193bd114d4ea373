/** A Postgres of our own, from the binaries that npm brings. */
export { PostgresUnavailable, prepareBinaries, type PostgresBinaries } from './binaries.js';
export { startCluster, type Cluster, type ClusterOptions } from './cluster.js';
export { freePort } from './free-port.js';
export { processIsAlive } from './process-is-alive.js';
