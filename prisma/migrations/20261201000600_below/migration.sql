-- Down from a session to those below it: whoever ends one is told what runs there. Roots stand in no index of it.

CREATE INDEX heads_below_idx ON heads (tenant_id, parent_id) WHERE parent_id IS NOT NULL;
