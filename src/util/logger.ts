/** Structured logging: a message and its facts. Secrets are never logged. */
export interface Logger {
  debug(message: string, facts?: object): void;
  info(message: string, facts?: object): void;
  warn(message: string, facts?: object): void;
  error(message: string, facts?: object): void;
  /** A logger that adds `facts` to every line. */
  with(facts: object): Logger;
}

/** Drops everything: the default of embedded clusters. */
export const silentLogger: Logger = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  with: () => silentLogger,
};
