-- The ledger: tables, the two functions that write it, and the owner's chores. Roles and grants are made by `migrate`, because
-- they carry a password. Ids are COLLATE "C": compared byte by byte, which is faster and the same on every machine.

-- ---------------------------------------------------------------------------------------------------------------- tables

CREATE TABLE tenants (
  id text COLLATE "C" NOT NULL,
  name text NOT NULL,
  epoch bigint NOT NULL DEFAULT 1,
  created_at timestamptz(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT tenants_pkey PRIMARY KEY (id)
);

CREATE TABLE heads (
  tenant_id text COLLATE "C" NOT NULL,
  stream_id text COLLATE "C" NOT NULL,
  seq bigint NOT NULL,
  hash bytea NOT NULL,
  parent_id text COLLATE "C",
  root_id text COLLATE "C",
  key_id text COLLATE "C",
  state text,
  opened_at timestamptz(6) NOT NULL,
  updated_at timestamptz(6) NOT NULL,
  CONSTRAINT heads_pkey PRIMARY KEY (tenant_id, stream_id)
) WITH (fillfactor = 60, autovacuum_vacuum_scale_factor = 0.05);
-- The time first on purpose: the primary key must stay the only index that finds a head by its name.
CREATE INDEX heads_opened_at_tenant_id_idx ON heads (opened_at, tenant_id);

CREATE TABLE events (
  position bigint GENERATED ALWAYS AS IDENTITY,
  txid xid8 NOT NULL,
  tenant_id text COLLATE "C" NOT NULL,
  stream_id text COLLATE "C" NOT NULL,
  seq bigint NOT NULL,
  "time" timestamptz(6) NOT NULL,
  type text COLLATE "C" NOT NULL,
  version integer NOT NULL,
  call_id text COLLATE "C",
  ask_id text COLLATE "C",
  agent text COLLATE "C",
  tool text COLLATE "C",
  decision text COLLATE "C",
  rule_id text COLLATE "C",
  person_id text COLLATE "C",
  channel text COLLATE "C",
  body text NOT NULL,
  prev_hash bytea NOT NULL,
  hash bytea NOT NULL,
  CONSTRAINT events_pkey PRIMARY KEY (tenant_id, stream_id, seq, "time")
) PARTITION BY RANGE ("time");
-- Audit pages go by (tenant, position); followers by (txid, position).
CREATE INDEX events_tenant_id_position_idx ON events (tenant_id, position);
CREATE INDEX events_txid_position_idx ON events (txid, position);
-- Rare columns, so that a search by person or ask does not read the whole log.
CREATE INDEX events_ask_id_idx ON events (tenant_id, ask_id, position) WHERE ask_id IS NOT NULL;
CREATE INDEX events_person_id_idx ON events (tenant_id, person_id, position) WHERE person_id IS NOT NULL;

CREATE TABLE asks (
  id text COLLATE "C" NOT NULL,
  tenant_id text COLLATE "C" NOT NULL,
  session_id text COLLATE "C" NOT NULL,
  call_id text COLLATE "C" NOT NULL,
  agent text COLLATE "C" NOT NULL,
  tool text COLLATE "C" NOT NULL,
  args_hash text COLLATE "C" NOT NULL,
  rule_id text COLLATE "C" NOT NULL,
  risk text COLLATE "C" NOT NULL,
  status text COLLATE "C" NOT NULL CHECK (status IN ('open', 'approved', 'rejected', 'cancelled', 'expired')),
  version integer NOT NULL DEFAULT 1,
  parked boolean NOT NULL DEFAULT false,
  timeout_ms bigint,
  opened_at timestamptz(6) NOT NULL,
  deadline timestamptz(6),
  resolved_at timestamptz(6),
  resolved_by text,
  resolved_by_id text COLLATE "C",
  resolved_via text COLLATE "C",
  reason text,
  opened text NOT NULL,
  joined text NOT NULL DEFAULT '',
  CONSTRAINT asks_pkey PRIMARY KEY (id)
);
CREATE INDEX asks_tenant_id_opened_at_id_idx ON asks (tenant_id, opened_at, id);
CREATE INDEX asks_open_idx ON asks (tenant_id, opened_at, id) WHERE status = 'open';
CREATE INDEX asks_due_idx ON asks (deadline) WHERE status = 'open';

CREATE TABLE call_keys (
  tenant_id text COLLATE "C" NOT NULL,
  session_id text COLLATE "C" NOT NULL,
  agent text COLLATE "C" NOT NULL,
  tool_use_id text COLLATE "C" NOT NULL,
  attempt integer NOT NULL,
  call_id text COLLATE "C" NOT NULL,
  tool text COLLATE "C" NOT NULL,
  args_hash text COLLATE "C" NOT NULL,
  status text COLLATE "C" NOT NULL CHECK (status IN ('open', 'decided')),
  ask_id text COLLATE "C",
  outcome text NOT NULL,
  report_hash text COLLATE "C",
  created_at timestamptz(6) NOT NULL,
  decided_at timestamptz(6),
  CONSTRAINT call_keys_pkey PRIMARY KEY (tenant_id, session_id, agent, tool_use_id, attempt)
) WITH (fillfactor = 85);
CREATE UNIQUE INDEX call_keys_call_id_key ON call_keys (call_id);
-- The hash first on purpose: the primary key must stay the only index that finds a call by its key.
CREATE INDEX call_keys_args_hash_session_id_idx ON call_keys (args_hash, session_id);
CREATE INDEX call_keys_ask_id_idx ON call_keys (ask_id) WHERE ask_id IS NOT NULL;
CREATE INDEX call_keys_created_at_idx ON call_keys USING brin (created_at);

CREATE TABLE grants (
  id text COLLATE "C" NOT NULL,
  tenant_id text COLLATE "C" NOT NULL,
  session_id text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL,
  tool text COLLATE "C" NOT NULL,
  args_hash text COLLATE "C",
  pattern text,
  lifts text NOT NULL,
  ask_id text COLLATE "C" NOT NULL,
  person_id text COLLATE "C",
  status text COLLATE "C" NOT NULL CHECK (status IN ('active', 'consumed', 'revoked')),
  created_at timestamptz(6) NOT NULL,
  expires_at timestamptz(6),
  ended_at timestamptz(6),
  ended_by text,
  CONSTRAINT grants_pkey PRIMARY KEY (id)
);
CREATE INDEX grants_tenant_id_created_at_id_idx ON grants (tenant_id, created_at, id);

CREATE TABLE api_keys (
  id text COLLATE "C" NOT NULL,
  tenant_id text COLLATE "C" NOT NULL,
  secret_hash text COLLATE "C" NOT NULL,
  role text COLLATE "C" NOT NULL,
  label text NOT NULL,
  person_id text COLLATE "C",
  policy text COLLATE "C" NOT NULL,
  mode text COLLATE "C",
  roots text[] NOT NULL,
  home text,
  same_host boolean NOT NULL,
  created_at timestamptz(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  created_by text NOT NULL,
  revoked_at timestamptz(6),
  CONSTRAINT api_keys_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX api_keys_secret_hash_key ON api_keys (secret_hash);
CREATE INDEX api_keys_tenant_id_created_at_id_idx ON api_keys (tenant_id, created_at, id);

CREATE TABLE people (
  id text COLLATE "C" NOT NULL,
  tenant_id text COLLATE "C" NOT NULL,
  name text NOT NULL,
  groups text[] NOT NULL,
  roles text[] NOT NULL,
  created_at timestamptz(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT people_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX people_tenant_id_name_key ON people (tenant_id, name);

CREATE TABLE policies (
  tenant_id text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  version integer NOT NULL,
  document text NOT NULL,
  hash text COLLATE "C" NOT NULL,
  published_by text NOT NULL,
  published_at timestamptz(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT policies_pkey PRIMARY KEY (tenant_id, name, version)
);
CREATE INDEX policies_tenant_id_hash_idx ON policies (tenant_id, hash);

CREATE TABLE idempotency (
  tenant_id text COLLATE "C" NOT NULL,
  scope text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  request_hash text COLLATE "C" NOT NULL,
  status integer,
  response text,
  created_at timestamptz(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  finished_at timestamptz(6),
  CONSTRAINT idempotency_pkey PRIMARY KEY (tenant_id, scope, key)
);
CREATE INDEX idempotency_created_at_idx ON idempotency (created_at);

-- ------------------------------------------------------------------------------------------------------ the owner's chores

-- Makes the partition of this month and of `months_ahead` months after it. There is no default partition: an event without a
-- partition fails loudly instead of landing where nobody looks. ATTACH keeps appends running, PARTITION OF would stop them.
CREATE FUNCTION make_partitions(months_ahead integer) RETURNS SETOF text
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  first_day timestamp := date_trunc('month', clock_timestamp() AT TIME ZONE 'UTC');
  part text;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('countersign.partitions', 0));
  FOR ahead IN 0..months_ahead LOOP
    part := 'events_' || to_char(first_day + make_interval(months => ahead), 'YYYY_MM');
    IF to_regclass('public.' || part) IS NULL THEN
      EXECUTE format('CREATE TABLE public.%I (LIKE public.events INCLUDING DEFAULTS)', part);
      EXECUTE format(
        'ALTER TABLE public.events ATTACH PARTITION public.%I FOR VALUES FROM (%L) TO (%L)',
        part,
        to_char(first_day + make_interval(months => ahead), 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
        to_char(first_day + make_interval(months => ahead + 1), 'YYYY-MM-DD"T"HH24:MI:SS"Z"'));
      RETURN NEXT part;
    END IF;
  END LOOP;
END $$;

-- Retention of remembered answers. Returns how many rows went.
CREATE FUNCTION forget_idempotency(older_than_days integer) RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE gone bigint;
BEGIN
  IF older_than_days < 1 THEN RAISE EXCEPTION 'keep idempotency rows for at least one day'; END IF;
  DELETE FROM idempotency WHERE created_at < clock_timestamp() - make_interval(days => older_than_days);
  GET DIAGNOSTICS gone = ROW_COUNT;
  RETURN gone;
END $$;

-- Retention of call keys. Keys of open asks stay. After it a repeated key is judged as a new call.
CREATE FUNCTION forget_call_keys(older_than_days integer) RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE gone bigint;
BEGIN
  IF older_than_days < 1 THEN RAISE EXCEPTION 'keep call keys for at least one day'; END IF;
  DELETE FROM call_keys
  WHERE created_at < clock_timestamp() - make_interval(days => older_than_days) AND status = 'decided';
  GET DIAGNOSTICS gone = ROW_COUNT;
  RETURN gone;
END $$;

-- --------------------------------------------------------------------------------------------------------------- the chain

-- One column in the hashed text: `<bytes>:<value>,`, or `-,` for NULL. docs/decisions/0002-chain.md has the whole layout.
CREATE FUNCTION chain_column(value text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT coalesce(octet_length(value)::text || ':' || value || ',', '-,') $$;

-- The lock that orders decisions and changes of a tenant's epoch: shared by rounds, alone for who raises it.
CREATE FUNCTION tenant_lock(tenant text) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT hashtextextended('countersign.tenant:' || tenant, 0) $$;

-- -------------------------------------------------------------------------------------------------------------- lock_heads

-- Locks heads (rows of tenant, stream) for the rest of the transaction, in the one order that every writer keeps.
CREATE FUNCTION lock_heads(p_heads text[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  n integer := coalesce(array_length(p_heads, 1), 0);
  r record;
BEGIN
  FOR r IN SELECT DISTINCT tenant_lock(p_heads[i][1]) AS key FROM generate_series(1, n) i ORDER BY 1 LOOP
    PERFORM pg_advisory_xact_lock_shared(r.key);
  END LOOP;
  FOR r IN
    SELECT p_heads[i][1] COLLATE "C" AS tenant, p_heads[i][2] COLLATE "C" AS stream FROM generate_series(1, n) i
    ORDER BY 1, 2
  LOOP
    PERFORM 1 FROM heads h WHERE h.tenant_id = r.tenant AND h.stream_id = r.stream FOR NO KEY UPDATE;
  END LOOP;
END $$;

-- ------------------------------------------------------------------------------------------------------------------ append

-- The only writer of streams, asks, grants and call keys: one call per round. Every argument but the first is a matrix of text,
-- one row per thing, its first column the unit (from 1). Streams come with their events in order; no stream stands in two units.
--
--   p_streams        unit, tenant, stream, expected seq (NULL: any; 0: new), parent, root, key, state (NULL: keep)
--   p_unmoved        unit, tenant, stream, seq
--   p_epochs         unit, tenant, epoch                p_raised  unit, tenant
--   p_events         index into p_streams, type, version, call, ask, agent, tool, decision, rule, person, channel, body
--   p_asks_opened    unit, tenant, session, id, call, agent, tool, args hash, rule, risk, timeout ms, status, parked,
--                    by, by id, via, reason, opened, joined
--   p_asks_changed   unit, tenant, session, id, guard (answer, expiry, open), status (NULL: keep), parked (NULL: keep),
--                    by, by id, via, reason, joined
--   p_keys_made      unit, tenant, session, agent, tool use, attempt, call, tool, args hash, status, ask, outcome
--   p_keys_decided   unit, tenant, session, ask, outcome
--   p_keys_reported  unit, tenant, session, call, report hash
--   p_grants_made    unit, tenant, session, id, kind, tool, args hash, pattern, lifts, ask, person, expires, status, by
--   p_grants_ended   unit, tenant, session, id, status, by
--
-- A unit is all or nothing. `conflicts` has one entry per unit: NULL (stored), seq, unmoved, epoch, key, ask or grant. A key that
-- exists already raises: whoever read keys and head together and finds the head unmoved cannot meet one, so no round pays for it.
--
-- INVARIANT: locks are taken as tenants, heads by (tenant, stream), asks by id, grants by id; then new heads. A new head can only
-- wait for another new head of the same name, so no circle can close.
CREATE FUNCTION append(
  p_units integer, p_streams text[], p_unmoved text[], p_epochs text[], p_raised text[], p_events text[],
  p_asks_opened text[], p_asks_changed text[], p_keys_made text[], p_keys_decided text[], p_keys_reported text[],
  p_grants_made text[], p_grants_ended text[],
  OUT conflicts text[], OUT details text[], OUT seqs bigint[], OUT hashes text[], OUT deadlines text[], OUT at_time text)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp
-- Plans are made once: one made for the very arguments would copy all of them into itself, for every query of every round. And
-- every query goes from a few rows straight to an index: a plan that was made while a table was small must not read all of it
-- when it is large.
SET plan_cache_mode = force_generic_plan SET random_page_cost = 0.01
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
DECLARE
  n_streams  integer := coalesce(array_length(p_streams, 1), 0);
  n_unmoved  integer := coalesce(array_length(p_unmoved, 1), 0);
  n_epochs   integer := coalesce(array_length(p_epochs, 1), 0);
  n_raised   integer := coalesce(array_length(p_raised, 1), 0);
  n_events   integer := coalesce(array_length(p_events, 1), 0);
  n_opened   integer := coalesce(array_length(p_asks_opened, 1), 0);
  n_changed  integer := coalesce(array_length(p_asks_changed, 1), 0);
  n_made     integer := coalesce(array_length(p_keys_made, 1), 0);
  n_decided  integer := coalesce(array_length(p_keys_decided, 1), 0);
  n_reported integer := coalesce(array_length(p_keys_reported, 1), 0);
  n_granted  integer := coalesce(array_length(p_grants_made, 1), 0);
  n_ended    integer := coalesce(array_length(p_grants_ended, 1), 0);
  head_seq   bigint[] := array_fill(NULL::bigint, ARRAY[n_streams + n_unmoved]);
  head_hash  bytea[] := array_fill(NULL::bytea, ARRAY[n_streams + n_unmoved]);
  stream_unit integer[] := array_fill(0, ARRAY[n_streams]);
  chain      bytea[] := array_fill(NULL::bytea, ARRAY[n_events]);
  before     bytea[] := array_fill(NULL::bytea, ARRAY[n_events]);
  ask_status text[] := array_fill(NULL::text, ARRAY[n_changed]);
  ask_due    timestamptz[] := array_fill(NULL::timestamptz, ARRAY[n_changed]);
  grant_live boolean[] := array_fill(false, ARRAY[n_ended]);
  now_at     timestamptz;
  has_new    boolean := false;
  has_undo   boolean := false;
  u integer;
  s integer;
  r record;
  row_of record;
BEGIN
  conflicts := array_fill(NULL::text, ARRAY[p_units]);
  details := array_fill(NULL::text, ARRAY[p_units]);
  seqs := array_fill(NULL::bigint, ARRAY[n_events]);
  hashes := array_fill(NULL::text, ARRAY[n_events]);
  deadlines := array_fill(NULL::text, ARRAY[n_opened]);

  -- Locks: tenants.
  FOR r IN
    SELECT tenant_lock(q.tenant) AS key, bool_or(q.raises) AS raises
    FROM (
      SELECT p_epochs[i][2] AS tenant, false AS raises FROM generate_series(1, n_epochs) i
      UNION ALL
      SELECT p_raised[i][2], true FROM generate_series(1, n_raised) i
    ) q
    GROUP BY 1 ORDER BY 1
  LOOP
    IF r.raises THEN
      PERFORM pg_advisory_xact_lock(r.key);
    ELSE
      PERFORM pg_advisory_xact_lock_shared(r.key);
    END IF;
  END LOOP;

  -- Locks: heads. One plain series on purpose: a row that was given only after a wait is joined again, and a UNION ALL loses it.
  FOR r IN
    SELECT i, h.seq, h.hash
    FROM generate_series(1, n_streams + n_unmoved) i JOIN heads h
      ON h.tenant_id = CASE WHEN i <= n_streams THEN p_streams[i][2] ELSE p_unmoved[i - n_streams][2] END
      AND h.stream_id = CASE WHEN i <= n_streams THEN p_streams[i][3] ELSE p_unmoved[i - n_streams][3] END
    ORDER BY h.tenant_id, h.stream_id
    FOR NO KEY UPDATE OF h
  LOOP
    head_seq[r.i] := r.seq;
    head_hash[r.i] := r.hash;
  END LOOP;

  -- Locks: asks, grants. They are few.
  FOR r IN SELECT i, p_asks_changed[i][4] COLLATE "C" AS id FROM generate_series(1, n_changed) i ORDER BY 2 LOOP
    SELECT a.status, coalesce(a.deadline, 'infinity') AS due, a.tenant_id, a.session_id INTO row_of
    FROM asks a WHERE a.id = r.id FOR NO KEY UPDATE;
    IF row_of.tenant_id = p_asks_changed[r.i][2] AND row_of.session_id = p_asks_changed[r.i][3] THEN
      ask_status[r.i] := row_of.status;
      ask_due[r.i] := row_of.due;
    END IF;
  END LOOP;
  FOR r IN SELECT i, p_grants_ended[i][4] COLLATE "C" AS id FROM generate_series(1, n_ended) i ORDER BY 2 LOOP
    SELECT g.status, g.tenant_id, g.session_id INTO row_of FROM grants g WHERE g.id = r.id FOR NO KEY UPDATE;
    grant_live[r.i] := coalesce(row_of.status = 'active' AND row_of.tenant_id = p_grants_ended[r.i][2]
      AND row_of.session_id = p_grants_ended[r.i][3], false);
  END LOOP;

  -- The one time of this round; taken under the locks, so a stream's time never runs ahead of its order.
  now_at := clock_timestamp();
  at_time := to_char(now_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"');

  -- Checks.
  FOR r IN
    SELECT p_epochs[i][1]::integer AS unit, p_epochs[i][2] AS tenant
    FROM generate_series(1, n_epochs) i LEFT JOIN tenants t ON t.id = p_epochs[i][2]
    WHERE t.epoch IS DISTINCT FROM p_epochs[i][3]::bigint
  LOOP
    conflicts[r.unit] := 'epoch';
    details[r.unit] := r.tenant;
  END LOOP;
  FOR i IN 1..n_unmoved LOOP
    IF coalesce(head_seq[n_streams + i], 0) IS DISTINCT FROM p_unmoved[i][4]::bigint THEN
      u := p_unmoved[i][1];
      conflicts[u] := 'unmoved';
      details[u] := p_unmoved[i][3];
    END IF;
  END LOOP;
  FOR i IN 1..n_changed LOOP
    IF ask_status[i] IS DISTINCT FROM 'open'
      OR (p_asks_changed[i][5] = 'answer' AND ask_due[i] <= now_at)
      OR (p_asks_changed[i][5] = 'expiry' AND ask_due[i] > now_at)
    THEN
      u := p_asks_changed[i][1];
      conflicts[u] := 'ask';
      details[u] := p_asks_changed[i][4];
    END IF;
  END LOOP;
  FOR i IN 1..n_ended LOOP
    IF NOT grant_live[i] THEN
      u := p_grants_ended[i][1];
      conflicts[u] := 'grant';
      details[u] := p_grants_ended[i][4];
    END IF;
  END LOOP;
  IF n_reported > 0 THEN
    FOR r IN
      SELECT p_keys_reported[i][1]::integer AS unit, p_keys_reported[i][4] AS call
      FROM generate_series(1, n_reported) i LEFT JOIN call_keys k ON k.call_id = p_keys_reported[i][4]
      WHERE k.call_id IS NULL OR k.report_hash IS NOT NULL
        OR k.tenant_id <> p_keys_reported[i][2] OR k.session_id <> p_keys_reported[i][3]
    LOOP
      conflicts[r.unit] := 'key';
      details[r.unit] := r.call;
    END LOOP;
  END IF;
  FOR i IN 1..n_streams LOOP
    u := p_streams[i][1];
    stream_unit[i] := u;
    IF head_seq[i] IS NULL AND p_streams[i][4] = '0' THEN
      has_new := true;
    ELSIF head_seq[i] IS NULL OR head_seq[i] <> p_streams[i][4]::bigint THEN
      -- The first answer of a caller to most conflicts is to load again, which mends all of them; seq says the most.
      conflicts[u] := 'seq';
      details[u] := p_streams[i][3];
    END IF;
  END LOOP;

  -- New heads: a placeholder that waits for whoever opens the same stream just now.
  IF has_new THEN
    FOR r IN
      SELECT i, p_streams[i][2] AS tenant, p_streams[i][3] AS stream
      FROM generate_series(1, n_streams) i
      WHERE head_seq[i] IS NULL
      ORDER BY p_streams[i][2] COLLATE "C", p_streams[i][3] COLLATE "C"
    LOOP
      u := stream_unit[r.i];
      IF conflicts[u] IS NULL THEN
        INSERT INTO heads (tenant_id, stream_id, seq, hash, parent_id, root_id, key_id, opened_at, updated_at)
        VALUES (r.tenant, r.stream, 0, decode(repeat('00', 32), 'hex'),
          p_streams[r.i][5], p_streams[r.i][6], p_streams[r.i][7], now_at, now_at)
        ON CONFLICT DO NOTHING;
        IF FOUND THEN
          head_seq[r.i] := 0;
          head_hash[r.i] := decode(repeat('00', 32), 'hex');
        ELSE
          conflicts[u] := 'seq';
          details[u] := r.stream;
          has_undo := true;
        END IF;
      END IF;
    END LOOP;
    IF has_undo THEN
      DELETE FROM heads h USING generate_series(1, n_streams) i
      WHERE h.tenant_id = p_streams[i][2] AND h.stream_id = p_streams[i][3] AND h.seq = 0
        AND conflicts[stream_unit[i]] IS NOT NULL;
    END IF;
  END IF;

  -- The chain. chain_column(NULL) and the rest: see docs/decisions/0002-chain.md.
  FOR i IN 1..n_events LOOP
    s := p_events[i][1];
    IF conflicts[stream_unit[s]] IS NULL THEN
      head_seq[s] := head_seq[s] + 1;
      seqs[i] := head_seq[s];
      before[i] := head_hash[s];
      head_hash[s] := sha256(head_hash[s] || sha256(convert_to(
        chain_column(p_streams[s][2]) || chain_column(p_streams[s][3]) || chain_column(head_seq[s]::text)
        || chain_column(at_time) || chain_column(p_events[i][2]) || chain_column(p_events[i][3])
        || chain_column(p_events[i][4]) || chain_column(p_events[i][5]) || chain_column(p_events[i][6])
        || chain_column(p_events[i][7]) || chain_column(p_events[i][8]) || chain_column(p_events[i][9])
        || chain_column(p_events[i][10]) || chain_column(p_events[i][11]) || chain_column(p_events[i][12]), 'UTF8')));
      chain[i] := head_hash[s];
      hashes[i] := encode(head_hash[s], 'hex');
    END IF;
  END LOOP;

  -- Rows.
  INSERT INTO events (txid, tenant_id, stream_id, seq, "time", type, version, call_id, ask_id, agent, tool, decision, rule_id,
    person_id, channel, body, prev_hash, hash)
  SELECT pg_current_xact_id(), p_streams[p_events[i][1]::integer][2], p_streams[p_events[i][1]::integer][3], seqs[i], now_at,
    p_events[i][2], p_events[i][3]::integer, p_events[i][4], p_events[i][5], p_events[i][6], p_events[i][7], p_events[i][8],
    p_events[i][9], p_events[i][10], p_events[i][11], p_events[i][12], before[i], chain[i]
  FROM generate_series(1, n_events) i WHERE seqs[i] IS NOT NULL;

  UPDATE heads h SET seq = head_seq[i], hash = head_hash[i], state = coalesce(p_streams[i][8], h.state), updated_at = now_at
  FROM generate_series(1, n_streams) i
  WHERE h.tenant_id = p_streams[i][2] AND h.stream_id = p_streams[i][3] AND conflicts[stream_unit[i]] IS NULL;

  IF n_made > 0 THEN
    INSERT INTO call_keys (tenant_id, session_id, agent, tool_use_id, attempt, call_id, tool, args_hash, status, ask_id, outcome,
      created_at, decided_at)
    SELECT p_keys_made[i][2], p_keys_made[i][3], p_keys_made[i][4], p_keys_made[i][5], p_keys_made[i][6]::integer,
      p_keys_made[i][7], p_keys_made[i][8], p_keys_made[i][9], p_keys_made[i][10], p_keys_made[i][11], p_keys_made[i][12], now_at,
      CASE WHEN p_keys_made[i][10] = 'decided' THEN now_at END
    FROM generate_series(1, n_made) i WHERE conflicts[p_keys_made[i][1]::integer] IS NULL;
  END IF;
  IF n_opened > 0 THEN
    FOR i IN 1..n_opened LOOP
      IF conflicts[p_asks_opened[i][1]::integer] IS NULL AND p_asks_opened[i][11] IS NOT NULL THEN
        deadlines[i] := to_char((now_at + p_asks_opened[i][11]::bigint * interval '1 millisecond') AT TIME ZONE 'UTC',
          'YYYY-MM-DD"T"HH24:MI:SS.US"Z"');
      END IF;
    END LOOP;
    INSERT INTO asks (id, tenant_id, session_id, call_id, agent, tool, args_hash, rule_id, risk, status, parked, timeout_ms,
      opened_at, deadline, resolved_at, resolved_by, resolved_by_id, resolved_via, reason, opened, joined)
    SELECT p_asks_opened[i][4], p_asks_opened[i][2], p_asks_opened[i][3], p_asks_opened[i][5], p_asks_opened[i][6],
      p_asks_opened[i][7], p_asks_opened[i][8], p_asks_opened[i][9], p_asks_opened[i][10], p_asks_opened[i][12],
      p_asks_opened[i][13]::boolean, p_asks_opened[i][11]::bigint, now_at, deadlines[i]::timestamptz,
      CASE WHEN p_asks_opened[i][12] <> 'open' THEN now_at END, p_asks_opened[i][14], p_asks_opened[i][15], p_asks_opened[i][16],
      p_asks_opened[i][17], p_asks_opened[i][18], coalesce(p_asks_opened[i][19], '')
    FROM generate_series(1, n_opened) i WHERE conflicts[p_asks_opened[i][1]::integer] IS NULL;
  END IF;
  FOR i IN 1..n_changed LOOP
    IF conflicts[p_asks_changed[i][1]::integer] IS NULL THEN
      UPDATE asks a SET
        status = coalesce(p_asks_changed[i][6], a.status),
        version = a.version + CASE WHEN p_asks_changed[i][6] IS NULL THEN 0 ELSE 1 END,
        parked = coalesce(p_asks_changed[i][7]::boolean, a.parked),
        resolved_at = CASE WHEN p_asks_changed[i][6] IS NULL THEN a.resolved_at ELSE now_at END,
        resolved_by = coalesce(p_asks_changed[i][8], a.resolved_by),
        resolved_by_id = coalesce(p_asks_changed[i][9], a.resolved_by_id),
        resolved_via = coalesce(p_asks_changed[i][10], a.resolved_via),
        reason = coalesce(p_asks_changed[i][11], a.reason),
        joined = a.joined || coalesce(p_asks_changed[i][12], '')
      WHERE a.id = p_asks_changed[i][4];
    END IF;
  END LOOP;
  FOR i IN 1..n_decided LOOP
    IF conflicts[p_keys_decided[i][1]::integer] IS NULL THEN
      UPDATE call_keys k SET status = 'decided', outcome = p_keys_decided[i][5], decided_at = now_at
      WHERE k.ask_id = p_keys_decided[i][4] AND k.status = 'open';
    END IF;
  END LOOP;
  FOR i IN 1..n_reported LOOP
    IF conflicts[p_keys_reported[i][1]::integer] IS NULL THEN
      UPDATE call_keys k SET report_hash = p_keys_reported[i][5] WHERE k.call_id = p_keys_reported[i][4];
    END IF;
  END LOOP;
  IF n_granted > 0 THEN
    INSERT INTO grants (id, tenant_id, session_id, kind, tool, args_hash, pattern, lifts, ask_id, person_id, status, created_at,
      expires_at, ended_at, ended_by)
    SELECT p_grants_made[i][4], p_grants_made[i][2], p_grants_made[i][3], p_grants_made[i][5], p_grants_made[i][6],
      p_grants_made[i][7], p_grants_made[i][8], p_grants_made[i][9], p_grants_made[i][10], p_grants_made[i][11], p_grants_made[i][13],
      now_at, p_grants_made[i][12]::timestamptz, CASE WHEN p_grants_made[i][13] <> 'active' THEN now_at END, p_grants_made[i][14]
    FROM generate_series(1, n_granted) i WHERE conflicts[p_grants_made[i][1]::integer] IS NULL;
  END IF;
  FOR i IN 1..n_ended LOOP
    IF conflicts[p_grants_ended[i][1]::integer] IS NULL THEN
      UPDATE grants g SET status = p_grants_ended[i][5], ended_at = now_at, ended_by = p_grants_ended[i][6]
      WHERE g.id = p_grants_ended[i][4];
    END IF;
  END LOOP;
  IF n_raised > 0 THEN
    UPDATE tenants t SET epoch = t.epoch + 1
    WHERE t.id IN (SELECT p_raised[i][2] FROM generate_series(1, n_raised) i WHERE conflicts[p_raised[i][1]::integer] IS NULL);
  END IF;
END $$;

REVOKE ALL ON FUNCTION make_partitions(integer), forget_idempotency(integer), forget_call_keys(integer),
  lock_heads(text[]),
  append(integer, text[], text[], text[], text[], text[], text[], text[], text[], text[], text[], text[], text[])
FROM PUBLIC;
