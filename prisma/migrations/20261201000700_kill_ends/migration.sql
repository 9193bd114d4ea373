-- What was over long ago costs nothing: an ask looks only at kill switches that end after it was opened, and retention finds what is
-- old by its index, which a time that changes within a statement would keep it from.

-- Those that are still engaged end never.
CREATE INDEX kill_switches_ends_idx ON kill_switches (tenant_id, coalesce(released_at, 'infinity'));

-- The deadline plus the time that the ask was frozen until `p_at`: the union of the intervals, for kill switches may overlap.
-- Nothing is rewritten, so a release needs no list of asks. Once the deadline in effect has passed, it stays passed.
-- When a kill switch was engaged is asked in a form that no index answers: by their ends there are few to look at.
CREATE OR REPLACE FUNCTION deadline_in_effect(
  p_tenant text, p_session text, p_agent text, p_tool text, p_opened timestamptz, p_deadline timestamptz, p_at timestamptz)
RETURNS timestamptz
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  IF p_deadline IS NULL OR p_deadline = 'infinity' OR NOT EXISTS (
    SELECT 1 FROM kill_switches k
    WHERE k.tenant_id = p_tenant AND coalesce(k.released_at, 'infinity') > p_opened AND (k.engaged_at < p_at) IS TRUE
  ) THEN
    RETURN p_deadline;
  END IF;
  RETURN p_deadline + (
    WITH frozen AS (
      SELECT greatest(k.engaged_at, p_opened) AS since, least(k.released_at, p_at) AS until
      FROM kills_over(p_tenant, p_session, p_agent, p_tool, p_opened) k WHERE k.engaged_at < p_at
    ), ordered AS (
      SELECT since, until,
        max(until) OVER (ORDER BY since, until ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS counted
      FROM frozen
    )
    SELECT coalesce(sum(greatest(until - greatest(since, counted), interval '0')), interval '0') FROM ordered);
END $$;

-- Retention of remembered answers. Returns how many rows went.
CREATE OR REPLACE FUNCTION forget_idempotency(older_than_days integer) RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE gone bigint;
BEGIN
  IF older_than_days < 1 THEN RAISE EXCEPTION 'keep idempotency rows for at least one day'; END IF;
  DELETE FROM idempotency WHERE created_at < statement_timestamp() - make_interval(days => older_than_days);
  GET DIAGNOSTICS gone = ROW_COUNT;
  RETURN gone;
END $$;

-- Retention of call keys. Keys of open asks stay. After it a repeated key is judged as a new call.
CREATE OR REPLACE FUNCTION forget_call_keys(older_than_days integer) RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE gone bigint;
BEGIN
  IF older_than_days < 1 THEN RAISE EXCEPTION 'keep call keys for at least one day'; END IF;
  DELETE FROM call_keys
  WHERE created_at < statement_timestamp() - make_interval(days => older_than_days) AND status = 'decided';
  GET DIAGNOSTICS gone = ROW_COUNT;
  RETURN gone;
END $$;

-- Retention of originals. Returns how many went.
CREATE OR REPLACE FUNCTION forget_vault(older_than_days integer) RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE gone bigint;
BEGIN
  IF older_than_days < 1 THEN RAISE EXCEPTION 'keep originals for at least one day'; END IF;
  DELETE FROM vault WHERE created_at < statement_timestamp() - make_interval(days => older_than_days);
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
  WHERE d.created_at < statement_timestamp() - make_interval(days => older_than_days)
    AND NOT EXISTS (SELECT 1 FROM asks a WHERE a.id = d.ask_id AND a.status = 'open');
  GET DIAGNOSTICS gone = ROW_COUNT;
  RETURN gone;
END $$;
