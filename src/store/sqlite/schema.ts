/** Version of the schema below. A store with a higher one was written by a newer program. */
export const schemaVersion = 1;

/**
 * The log is the whole store: a row for each change, appended in order. A row goes when no readable revision
 * shows it any more. What is left below `compacted` is the state at `compacted`; what follows is history.
 * `entries` is for people with an SQLite shell.
 */
export const schema = `
  CREATE TABLE store (schema INTEGER NOT NULL, compacted INTEGER NOT NULL);
  INSERT INTO store VALUES (${schemaVersion}, 0);
  CREATE TABLE log (
    position INTEGER PRIMARY KEY,
    revision INTEGER NOT NULL,
    created INTEGER NOT NULL,
    time INTEGER NOT NULL,
    key TEXT NOT NULL,
    value BLOB
  );
  CREATE INDEX log_revision ON log (revision);
  CREATE VIEW entries AS
    SELECT key, CAST(value AS TEXT) AS value, created, max(revision) AS revision,
      datetime(time / 1000, 'unixepoch') AS time
    FROM log GROUP BY key HAVING value IS NOT NULL;
`;
