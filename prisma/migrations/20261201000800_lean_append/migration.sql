-- What a round costs the database beside what it stores.

-- An event of a common call is a little longer than the two kilobytes from which Postgres compresses a row, which took a seventh of
-- what it did for a call. Longer rows are compressed as before. Only partitions can have the setting.
CREATE OR REPLACE FUNCTION make_partitions(months_ahead integer) RETURNS SETOF text
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  first_day timestamp := date_trunc('month', clock_timestamp() AT TIME ZONE 'UTC');
  part text;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('countersign.partitions', 0));
  -- From the month before: a clock may be set back over the border, and its events must have a place.
  FOR ahead IN -1..months_ahead LOOP
    part := 'events_' || to_char(first_day + make_interval(months => ahead), 'YYYY_MM');
    IF to_regclass('public.' || part) IS NULL THEN
      EXECUTE format('CREATE TABLE public.%I (LIKE public.events INCLUDING DEFAULTS) WITH (toast_tuple_target = 4096)', part);
      EXECUTE format(
        'ALTER TABLE public.events ATTACH PARTITION public.%I FOR VALUES FROM (%L) TO (%L)',
        part,
        to_char(first_day + make_interval(months => ahead), 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
        to_char(first_day + make_interval(months => ahead + 1), 'YYYY-MM-DD"T"HH24:MI:SS"Z"'));
      RETURN NEXT part;
    END IF;
  END LOOP;
END $$;

DO $$
DECLARE part regclass;
BEGIN
  FOR part IN SELECT inhrelid FROM pg_inherits WHERE inhparent = 'public.events'::regclass LOOP
    EXECUTE format('ALTER TABLE %s SET (toast_tuple_target = 4096)', part);
  END LOOP;
END $$;

-- `append` once more, otherwise unchanged: used keys are looked for without a cursor, for a cursor gets flat copies of the arrays, and
-- reads each of them from its start for every element.

-- The only writer of streams, asks, grants, call keys, kill switches and the vault: one call per round. Every argument but the first is a matrix of text,
-- one row per thing, its first column the unit (from 1). Streams come with their events in order; no stream stands in two units.
--
--   p_streams        unit, tenant, stream, expected seq (NULL: any; 0: new), parent, root, key, state (NULL: keep), agent
--   p_unmoved        unit, tenant, stream, seq
--   p_epochs         unit, tenant, epoch                p_raised  unit, tenant
--   p_events         index into p_streams, type, version, call, ask, agent, tool, decision, rule, person, channel, body
--   p_asks_opened    unit, tenant, session, id, call, agent, tool, args hash, rule, risk, timeout ms, status, parked,
--                    by, by id, via, reason, opened, joined
--   p_asks_changed   unit, tenant, session, id, guard (approve, answer, expiry, open), status (NULL: keep), parked (NULL: keep),
--                    by, by id, via, reason, joined
--   p_keys_made      unit, tenant, session, agent, tool use, attempt, call, tool, args hash, status, ask, outcome
--   p_keys_decided   unit, tenant, session, ask, outcome
--   p_keys_reported  unit, tenant, session, call, report hash
--   p_grants_made    unit, tenant, session (NULL: the whole tenant's), id, kind, tool, args hash, pattern, lifts, ask, person,
--                    expires, status, by, uses (NULL: any number)
--   p_grants_ended   unit, tenant, session, id, status, by
--   p_keys_redeemed  unit, tenant, session, call, permit
--   p_grants_used    unit, tenant, grant                a use of a tenant's grant that has a count
--   p_kills_made     unit, tenant, id, scope, value, reason, by
--   p_kills_ended    unit, tenant, id, by               both only in units that raise the tenant's epoch
--   p_vault          unit, tenant, call, kind, key id, size, sealed
--
-- A unit is all or nothing. `conflicts` has one entry per unit: NULL (stored), seq, unmoved, epoch, key, ask, frozen, grant or
-- kill. A key that exists already is found under the lock of its head, so whoever decides need not have looked for it; what is
-- not there is not asked for: most rounds are of calls that nobody has to answer.
--
-- INVARIANT: locks are taken as tenants, heads by (tenant, stream), asks by id, grants by id; then new heads. A new head can only
-- wait for another new head of the same name, so no circle can close.
CREATE OR REPLACE FUNCTION append(
  p_units integer, p_streams text[], p_unmoved text[], p_epochs text[], p_raised text[], p_events text[],
  p_asks_opened text[], p_asks_changed text[], p_keys_made text[], p_keys_decided text[], p_keys_reported text[],
  p_grants_made text[], p_grants_ended text[], p_keys_redeemed text[], p_grants_used text[], p_kills_made text[],
  p_kills_ended text[], p_vault text[],
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
  n_events   integer := coalesce(array_length(p_events, 1), 0);
  n_made     integer := coalesce(array_length(p_keys_made, 1), 0);
  -- Rounds of calls that nobody has to answer hold nothing else. A transaction pays for every expression that it meets, so what
  -- belongs to the rest is met only when it is there.
  has_more   boolean := coalesce(array_length(p_raised, 1), array_length(p_asks_opened, 1), array_length(p_asks_changed, 1),
    array_length(p_keys_decided, 1), array_length(p_keys_reported, 1), array_length(p_grants_made, 1),
    array_length(p_grants_ended, 1), array_length(p_keys_redeemed, 1), array_length(p_grants_used, 1),
    array_length(p_kills_made, 1), array_length(p_kills_ended, 1), array_length(p_vault, 1)) IS NOT NULL;
  n_raised   integer;
  n_opened   integer;
  n_changed  integer;
  n_decided  integer;
  n_reported integer;
  n_granted  integer;
  n_ended    integer;
  n_redeemed integer;
  n_used     integer;
  n_kills    integer;
  n_released integer;
  n_vault    integer;
  head_seq   bigint[] := array_fill(NULL::bigint, ARRAY[n_streams + n_unmoved]);
  head_hash  bytea[] := array_fill(NULL::bytea, ARRAY[n_streams + n_unmoved]);
  stream_unit integer[] := array_fill(0, ARRAY[n_streams]);
  chain      bytea[] := array_fill(NULL::bytea, ARRAY[n_events]);
  before     bytea[] := array_fill(NULL::bytea, ARRAY[n_events]);
  ask_status text[];
  ask_due    timestamptz[];
  grant_live boolean[];
  used_units integer[];
  used_ids   text[];
  used_left  integer[];
  used_until timestamptz[];
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
  IF has_more THEN
    n_raised := coalesce(array_length(p_raised, 1), 0);
    n_opened := coalesce(array_length(p_asks_opened, 1), 0);
    n_changed := coalesce(array_length(p_asks_changed, 1), 0);
    n_decided := coalesce(array_length(p_keys_decided, 1), 0);
    n_reported := coalesce(array_length(p_keys_reported, 1), 0);
    n_granted := coalesce(array_length(p_grants_made, 1), 0);
    n_ended := coalesce(array_length(p_grants_ended, 1), 0);
    n_redeemed := coalesce(array_length(p_keys_redeemed, 1), 0);
    n_used := coalesce(array_length(p_grants_used, 1), 0);
    n_kills := coalesce(array_length(p_kills_made, 1), 0);
    n_released := coalesce(array_length(p_kills_ended, 1), 0);
    n_vault := coalesce(array_length(p_vault, 1), 0);
    ask_status := array_fill(NULL::text, ARRAY[n_changed]);
    ask_due := array_fill(NULL::timestamptz, ARRAY[n_changed]);
    grant_live := array_fill(false, ARRAY[n_ended]);
    used_ids := '{}';
    used_left := '{}';
    used_until := '{}';
    deadlines := array_fill(NULL::text, ARRAY[n_opened]);
  END IF;

  -- Locks: tenants.
  IF has_more THEN
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
  ELSE
    PERFORM pg_advisory_xact_lock_shared(q.key)
    FROM (SELECT DISTINCT tenant_lock(p_epochs[i][2]) AS key FROM generate_series(1, n_epochs) i ORDER BY 1) q;
  END IF;

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
  IF has_more THEN
    IF n_changed > 0 THEN
      FOR r IN SELECT i, p_asks_changed[i][4] COLLATE "C" AS id FROM generate_series(1, n_changed) i ORDER BY 2 LOOP
        SELECT a.status, coalesce(a.deadline, 'infinity') AS due, a.tenant_id, a.session_id INTO row_of
        FROM asks a WHERE a.id = r.id FOR NO KEY UPDATE;
        IF row_of.tenant_id = p_asks_changed[r.i][2] AND row_of.session_id = p_asks_changed[r.i][3] THEN
          ask_status[r.i] := row_of.status;
          ask_due[r.i] := row_of.due;
        END IF;
      END LOOP;
    END IF;
    IF n_ended + n_used > 0 THEN
      FOR r IN
        SELECT q.id, q.i FROM (
          SELECT p_grants_ended[i][4] COLLATE "C" AS id, i FROM generate_series(1, n_ended) i
          UNION ALL
          SELECT p_grants_used[i][3] COLLATE "C", NULL FROM generate_series(1, n_used) i
        ) q
        ORDER BY q.id, q.i
      LOOP
        SELECT g.status, g.tenant_id, g.session_id, g.remaining, coalesce(g.expires_at, 'infinity') AS until INTO row_of
        FROM grants g WHERE g.id = r.id FOR NO KEY UPDATE;
        IF r.i IS NOT NULL THEN
          -- A tenant's grant that is used up still stands in the tenant's state, and may be taken out of it.
          grant_live[r.i] := coalesce(row_of.tenant_id = p_grants_ended[r.i][2]
            AND row_of.session_id IS NOT DISTINCT FROM p_grants_ended[r.i][3]
            AND (row_of.status = 'active' OR (row_of.status = 'consumed' AND row_of.session_id IS NULL)), false);
        ELSIF array_position(used_ids, row_of.tenant_id || '/' || r.id) IS NULL THEN
          used_ids := used_ids || (row_of.tenant_id || '/' || r.id);
          used_left := used_left
            || CASE WHEN row_of.status = 'active' AND row_of.session_id IS NULL THEN coalesce(row_of.remaining, 0) ELSE 0 END;
          used_until := used_until || row_of.until;
        END IF;
      END LOOP;
    END IF;
  END IF;

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
  IF has_more THEN
    FOR i IN 1..n_changed LOOP
      -- Only a deadline that seems past can have been put off, and only an approval cares whether the ask is frozen.
      IF ask_due[i] <= now_at THEN
        ask_due[i] := (SELECT deadline_in_effect(a.tenant_id, a.session_id, a.agent, a.tool, a.opened_at, a.deadline, now_at)
          FROM asks a WHERE a.id = p_asks_changed[i][4]);
      END IF;
      IF ask_status[i] IS DISTINCT FROM 'open'
        OR (p_asks_changed[i][5] IN ('approve', 'answer') AND ask_due[i] <= now_at)
        OR (p_asks_changed[i][5] = 'expiry' AND ask_due[i] > now_at)
      THEN
        u := p_asks_changed[i][1];
        conflicts[u] := 'ask';
        details[u] := p_asks_changed[i][4];
      ELSIF p_asks_changed[i][5] = 'approve' AND EXISTS (
        SELECT 1 FROM asks a WHERE a.id = p_asks_changed[i][4] AND is_frozen(a.tenant_id, a.session_id, a.agent, a.tool)
      ) THEN
        u := p_asks_changed[i][1];
        conflicts[u] := 'frozen';
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
  END IF;
  -- Under the lock of its head nobody else can make a key of that session.
  IF n_made > 0 THEN
    SELECT array_agg(p_keys_made[i][1]::integer) INTO used_units
    FROM generate_series(1, n_made) i JOIN call_keys k
      ON k.tenant_id = p_keys_made[i][2] AND k.session_id = p_keys_made[i][3] AND k.agent = p_keys_made[i][4]
      AND k.tool_use_id = p_keys_made[i][5] AND k.attempt = p_keys_made[i][6]::integer;
    FOR i IN 1..coalesce(array_length(used_units, 1), 0) LOOP
      conflicts[used_units[i]] := 'key';
      details[used_units[i]] := 'a tool-use id was used before';
    END LOOP;
  END IF;
  IF has_more THEN
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
    IF n_redeemed > 0 THEN
      FOR r IN
        SELECT p_keys_redeemed[i][1]::integer AS unit, p_keys_redeemed[i][4] AS call
        FROM generate_series(1, n_redeemed) i LEFT JOIN call_keys k ON k.call_id = p_keys_redeemed[i][4]
        WHERE k.call_id IS NULL OR k.redeemed_at IS NOT NULL OR k.report_hash IS NOT NULL OR k.status <> 'decided'
          OR k.tenant_id <> p_keys_redeemed[i][2] OR k.session_id <> p_keys_redeemed[i][3]
      LOOP
        conflicts[r.unit] := 'key';
        details[r.unit] := r.call;
      END LOOP;
    END IF;
    IF n_released > 0 THEN
      FOR r IN
        SELECT p_kills_ended[i][1]::integer AS unit, p_kills_ended[i][3] AS kill
        FROM generate_series(1, n_released) i LEFT JOIN kill_switches k ON k.id = p_kills_ended[i][3]
        WHERE k.id IS NULL OR k.released_at IS NOT NULL OR k.tenant_id <> p_kills_ended[i][2]
      LOOP
        conflicts[r.unit] := 'kill';
        details[r.unit] := r.kill;
      END LOOP;
    END IF;
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

  IF has_more THEN
    -- Counted grants, unit by unit: what one unit of this round uses up is not there for the next.
    FOR i IN 1..n_used LOOP
      u := p_grants_used[i][1];
      s := array_position(used_ids, p_grants_used[i][2] || '/' || p_grants_used[i][3]);
      IF conflicts[u] IS NULL AND s IS NOT NULL AND used_left[s] > 0 AND used_until[s] > now_at THEN
        used_left[s] := used_left[s] - 1;
      ELSIF conflicts[u] IS NULL THEN
        conflicts[u] := 'grant';
        details[u] := p_grants_used[i][3];
      END IF;
    END LOOP;
  END IF;

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
        INSERT INTO heads (tenant_id, stream_id, seq, hash, parent_id, root_id, key_id, agent, opened_at, updated_at)
        VALUES (r.tenant, r.stream, 0, decode(repeat('00', 32), 'hex'),
          p_streams[r.i][5], p_streams[r.i][6], p_streams[r.i][7], p_streams[r.i][9], now_at, now_at)
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
  IF NOT has_more THEN
    RETURN;
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
      expires_at, ended_at, ended_by, uses, remaining)
    SELECT p_grants_made[i][4], p_grants_made[i][2], p_grants_made[i][3], p_grants_made[i][5], p_grants_made[i][6],
      p_grants_made[i][7], p_grants_made[i][8], p_grants_made[i][9], p_grants_made[i][10], p_grants_made[i][11], p_grants_made[i][13],
      now_at, p_grants_made[i][12]::timestamptz, CASE WHEN p_grants_made[i][13] <> 'active' THEN now_at END, p_grants_made[i][14],
      p_grants_made[i][15]::integer, p_grants_made[i][15]::integer
    FROM generate_series(1, n_granted) i WHERE conflicts[p_grants_made[i][1]::integer] IS NULL;
  END IF;
  FOR i IN 1..n_ended LOOP
    IF conflicts[p_grants_ended[i][1]::integer] IS NULL THEN
      UPDATE grants g SET status = p_grants_ended[i][5], ended_at = now_at, ended_by = p_grants_ended[i][6]
      WHERE g.id = p_grants_ended[i][4] AND g.status = 'active';
    END IF;
  END LOOP;
  IF n_used > 0 THEN
    UPDATE grants g SET remaining = g.remaining - q.n,
      status = CASE WHEN g.remaining > q.n THEN g.status ELSE 'consumed' END,
      ended_at = CASE WHEN g.remaining > q.n THEN g.ended_at ELSE now_at END,
      ended_by = CASE WHEN g.remaining > q.n THEN g.ended_by ELSE 'used up' END
    FROM (
      SELECT p_grants_used[i][3] AS id, count(*)::integer AS n FROM generate_series(1, n_used) i
      WHERE conflicts[p_grants_used[i][1]::integer] IS NULL GROUP BY 1
    ) q
    WHERE g.id = q.id;
  END IF;
  IF n_redeemed > 0 THEN
    UPDATE call_keys k SET redeemed_at = now_at, permit_id = p_keys_redeemed[i][5]
    FROM generate_series(1, n_redeemed) i
    WHERE k.call_id = p_keys_redeemed[i][4] AND conflicts[p_keys_redeemed[i][1]::integer] IS NULL;
  END IF;
  IF n_kills > 0 THEN
    INSERT INTO kill_switches (id, tenant_id, scope, value, reason, engaged_at, engaged_by)
    SELECT p_kills_made[i][3], p_kills_made[i][2], p_kills_made[i][4], p_kills_made[i][5], p_kills_made[i][6], now_at,
      p_kills_made[i][7]
    FROM generate_series(1, n_kills) i WHERE conflicts[p_kills_made[i][1]::integer] IS NULL;
  END IF;
  IF n_released > 0 THEN
    UPDATE kill_switches k SET released_at = now_at, released_by = p_kills_ended[i][4]
    FROM generate_series(1, n_released) i
    WHERE k.id = p_kills_ended[i][3] AND conflicts[p_kills_ended[i][1]::integer] IS NULL;
  END IF;
  IF n_vault > 0 THEN
    INSERT INTO vault (tenant_id, call_id, kind, key_id, size, sealed, created_at)
    SELECT p_vault[i][2], p_vault[i][3], p_vault[i][4], p_vault[i][5], p_vault[i][6]::bigint, p_vault[i][7], now_at
    FROM generate_series(1, n_vault) i WHERE conflicts[p_vault[i][1]::integer] IS NULL;
  END IF;
  IF n_raised > 0 THEN
    UPDATE tenants t SET epoch = t.epoch + 1
    WHERE t.id IN (SELECT p_raised[i][2] FROM generate_series(1, n_raised) i WHERE conflicts[p_raised[i][1]::integer] IS NULL);
  END IF;
END $$;
