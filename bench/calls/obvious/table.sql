-- Where the obvious build stores its decisions: one table, one insert per decision.
CREATE SCHEMA obvious;
CREATE TABLE obvious.decisions (
  tenant_id text COLLATE "C" NOT NULL,
  session_id text COLLATE "C" NOT NULL,
  agent text COLLATE "C" NOT NULL,
  tool_use_id text COLLATE "C" NOT NULL,
  attempt integer NOT NULL,
  call_id text COLLATE "C" NOT NULL,
  tool text COLLATE "C" NOT NULL,
  decision text COLLATE "C" NOT NULL,
  rule_id text COLLATE "C" NOT NULL,
  body text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (tenant_id, session_id, agent, tool_use_id, attempt)
);
