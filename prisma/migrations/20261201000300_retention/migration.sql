-- What keeps every table bounded. All of it is the owner's to run; what is kept how long is said by whoever runs it.

-- Where a stream begins after its older events were dropped: the number and hash of the last one that went. Written when a
-- partition is dropped; verification goes on from here. It is not signed, so it proves nothing against the owner.
CREATE TABLE stream_borders (
  tenant_id text COLLATE "C" NOT NULL,
  stream_id text COLLATE "C" NOT NULL,
  seq bigint NOT NULL,
  hash bytea NOT NULL,
  dropped_at timestamptz(6) NOT NULL,
  CONSTRAINT stream_borders_pkey PRIMARY KEY (tenant_id, stream_id)
);

-- Retention of originals. Returns how many went.
CREATE OR REPLACE FUNCTION forget_vault(older_than_days integer) RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE gone bigint;
BEGIN
  IF older_than_days < 1 THEN RAISE EXCEPTION 'keep originals for at least one day'; END IF;
  DELETE FROM vault WHERE created_at < clock_timestamp() - make_interval(days => older_than_days);
  GET DIAGNOSTICS gone = ROW_COUNT;
  RETURN gone;
END $$;

-- Retention of deliveries of asks that have ended. Returns how many went.
CREATE OR REPLACE FUNCTION forget_deliveries(older_than_days integer) RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE gone bigint;
BEGIN
  IF older_than_days < 1 THEN RAISE EXCEPTION 'keep deliveries for at least one day'; END IF;
  DELETE FROM deliveries d
  WHERE d.created_at < clock_timestamp() - make_interval(days => older_than_days)
    AND NOT EXISTS (SELECT 1 FROM asks a WHERE a.id = d.ask_id AND a.status = 'open');
  GET DIAGNOSTICS gone = ROW_COUNT;
  RETURN gone;
END $$;

-- Retention of ended asks, ended grants and released kill switches; what the events say of them stays. A kill switch is kept for
-- as long as an ask that it froze is open. Returns how many rows went.
CREATE OR REPLACE FUNCTION forget_asks(older_than_days integer) RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  border timestamptz := clock_timestamp() - make_interval(days => older_than_days);
  gone bigint;
  total bigint := 0;
BEGIN
  IF older_than_days < 1 THEN RAISE EXCEPTION 'keep asks for at least one day'; END IF;
  DELETE FROM asks WHERE status <> 'open' AND resolved_at < border;
  GET DIAGNOSTICS gone = ROW_COUNT;
  total := total + gone;
  DELETE FROM grants WHERE status <> 'active' AND ended_at < border;
  GET DIAGNOSTICS gone = ROW_COUNT;
  total := total + gone;
  DELETE FROM kill_switches k WHERE k.released_at < border AND NOT EXISTS (
    SELECT 1 FROM asks a WHERE a.tenant_id = k.tenant_id AND a.status = 'open' AND a.opened_at < k.released_at);
  GET DIAGNOSTICS gone = ROW_COUNT;
  RETURN total + gone;
END $$;

-- Drops the partitions of events that ended at least `keep_months` months ago, and the heads of sessions of which nothing is left;
-- returns the names of the partitions. Appends wait while one is dropped, so it gives up soon when it does not get its lock; the
-- next run tries again. A head stays while a session below it is there: what holds a parent must go on holding it.
CREATE OR REPLACE FUNCTION drop_partitions(keep_months integer) RETURNS SETOF text
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp SET lock_timeout = '2s' AS $$
DECLARE
  border text := 'events_' || to_char(date_trunc('month', clock_timestamp() AT TIME ZONE 'UTC')
    - make_interval(months => keep_months), 'YYYY_MM');
  part text;
BEGIN
  IF keep_months < 1 THEN RAISE EXCEPTION 'keep events for at least one month'; END IF;
  PERFORM pg_advisory_xact_lock(hashtextextended('countersign.partitions', 0));
  FOR part IN
    SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent = 'public.events'::regclass AND c.relname ~ '^events_[0-9]{4}_[0-9]{2}$' AND c.relname < border
    ORDER BY 1
  LOOP
    EXECUTE format(
      'INSERT INTO stream_borders AS b (tenant_id, stream_id, seq, hash, dropped_at)
       SELECT DISTINCT ON (e.tenant_id, e.stream_id) e.tenant_id, e.stream_id, e.seq, e.hash, clock_timestamp()
       FROM public.%I e ORDER BY e.tenant_id, e.stream_id, e.seq DESC
       ON CONFLICT (tenant_id, stream_id) DO UPDATE SET seq = excluded.seq, hash = excluded.hash, dropped_at = excluded.dropped_at
       WHERE excluded.seq > b.seq', part);
    EXECUTE format('DROP TABLE public.%I', part);
    RETURN NEXT part;
  END LOOP;
  WITH gone AS (
    DELETE FROM heads h USING stream_borders b
    WHERE b.tenant_id = h.tenant_id AND b.stream_id = h.stream_id AND b.seq = h.seq AND h.stream_id <> '@tenant'
      AND NOT EXISTS (SELECT 1 FROM heads c WHERE c.tenant_id = h.tenant_id AND c.parent_id = h.stream_id)
      AND NOT EXISTS (SELECT 1 FROM asks a WHERE a.tenant_id = h.tenant_id AND a.session_id = h.stream_id AND a.status = 'open')
    RETURNING h.tenant_id, h.stream_id
  )
  DELETE FROM stream_borders b USING gone WHERE b.tenant_id = gone.tenant_id AND b.stream_id = gone.stream_id;
END $$;

REVOKE ALL ON FUNCTION forget_vault(integer), forget_deliveries(integer), forget_asks(integer), drop_partitions(integer) FROM PUBLIC;
