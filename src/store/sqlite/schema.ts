import { compactedChecksum } from "./checksum.ts";

/** The version of the schema below. A store with a higher one was written by a newer program. */
export const schemaVersion = 2;

/**
 * The log is the whole store: a row for each change, appended in order. A row is deleted when no readable
 * revision shows it any more. Remaining rows up to `compacted` are the state at `compacted`; later rows are
 * history. The view `entries` is for users of an SQLite shell.
 */
export const schema = `
  CREATE TABLE store (schema INTEGER NOT NULL, compacted INTEGER NOT NULL, checksum INTEGER);
  INSERT INTO store VALUES (${schemaVersion}, 0, ${compactedChecksum(0)});
  CREATE TABLE log (
    position INTEGER PRIMARY KEY,
    revision INTEGER NOT NULL,
    created INTEGER NOT NULL,
    time INTEGER NOT NULL,
    key TEXT NOT NULL,
    value BLOB,
    checksum INTEGER
  );
  CREATE INDEX log_revision ON log (revision);
  CREATE VIEW entries AS
    SELECT key, CAST(value AS TEXT) AS value, created, max(revision) AS revision,
      datetime(time / 1000, 'unixepoch') AS time
    FROM log GROUP BY key HAVING value IS NOT NULL;
`;

/** Upgrades a store of version 1, which had no checksums (`checksum.ts`). */
export const upgrade = `
  ALTER TABLE store ADD COLUMN checksum INTEGER;
  ALTER TABLE log ADD COLUMN checksum INTEGER;
  UPDATE store SET schema = ${schemaVersion}, checksum = compacted_checksum(compacted);
  UPDATE log SET checksum = row_checksum(revision, created, time, key, value);
`;
