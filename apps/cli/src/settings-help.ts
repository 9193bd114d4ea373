/** The environment variables of `countersign`, as its help lists them. */

/** What `up` and the services that run apart read. */
export const UP_SETTINGS = `
Settings (environment):
  COUNTERSIGN_HOME          folder of data and keys (as root /var/lib/countersign, else ~/.countersign)
  HOST                      address to listen on (127.0.0.1)
  ALLOWED_HOSTS             further host names that the doors are reached by, separated by commas
  GATEWAY_PORT              port of the agents' door (4610)
  APPROVER_PORT             port of the people's door (4611)
  WORKER_PORT               port of a worker's health and metrics where it runs apart (4612, else any free one)
  COUNTERSIGN_PG_PORT       port of the embedded database (any free one)
  DATABASE_URL              a Postgres to use instead of the embedded one
  DATABASE_OWNER_URL        the same database for its owner, who migrates; DATABASE_URL is then the services' role. A worker
                            that is given it makes partitions ahead and forgets what was kept long enough
  REDIS_URL                 a Redis to use for queue and bus
  KEEP_EVENT_MONTHS         months of events after the current one that are kept (all)
  KEEP_CALL_DAYS            days that a call's key is known; after them it counts as a new call (90)
  KEEP_ASK_DAYS             days that ended asks, grants and kill switches stay listed (365)
  KEEP_ORIGINAL_DAYS        days that originals of what was redacted are kept (90)
  COUNTERSIGN_SEAL_KEY      32 bytes in base64 that seal calls in the queue: the same for gateway and worker where they
                            run apart (from the home folder; \`up\` always takes that)
  COUNTERSIGN_VAULT_KEYS    32 bytes in base64, several with commas between, that seal the originals of what is redacted: the
                            first one seals, every one opens; the same for all services (likewise)
  COUNTERSIGN_COOKIE_SECRET at least 32 characters that sign the approvers' cookies (likewise)
  COUNTERSIGN_PERMIT_KEYS   32 bytes in base64, several with commas between, that sign permits: the first one signs, every one
                            is published; the same for all gateways (likewise)
  COUNTERSIGN_HOOKS         the hook file (hooks.yaml in the home folder)
  COUNTERSIGN_CHANNELS_FILE the file that sets up Slack, webhooks and e-mail (channels.yaml in the home folder)
  COUNTERSIGN_CONSOLE_URL   what people reach the page by, for links on cards (the page's own address)
  METRICS_TOKEN             asked of whoever reads /metrics (without it: this host, or a key of auditor or admin)
  LEAVE_SECONDS             how long readiness is red before connections are refused, for load balancers (0, at most 15)
  OTEL_EXPORTER_OTLP_ENDPOINT  collector of traces, such as http://127.0.0.1:4318 (no traces)
  OTEL_EXPORTER_OTLP_HEADERS   headers for it, as name=value,name=value
  OTEL_TRACES_SAMPLER_ARG      share of traces that are kept, 0 to 1 (1)
  LOG_LEVEL                 fatal, error, warn, info, debug, trace or silent (info)

Settings laid over policy.yaml of the home, where set:
  AGENT_PERMISSIONS_DENY, AGENT_PERMISSIONS_ASK, AGENT_PERMISSIONS_ALLOW   rules, separated by commas
  AGENT_PERMISSION_MODE     mode of a session that names none
  AGENT_ADDITIONAL_DIRS     further roots, separated by commas
  AGENT_BLOCK_NETWORK       true or false
  AGENT_DENIAL_MAX_CONSECUTIVE, AGENT_DENIAL_MAX_TOTAL                     denials that stop a session
  AGENT_TOOL_TIMEOUT_SECS   seconds that the shell is given`;

/** What the hook command reads. */
export const HOOK_SETTINGS = `
Settings (environment):
  COUNTERSIGN_URL           base URL of the agents' door (from endpoints.json of the home folder)
  COUNTERSIGN_TOKEN         the agent's key (likewise)
  COUNTERSIGN_HOME          the home folder (as root /var/lib/countersign, else ~/.countersign)`;
