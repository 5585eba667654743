/** A Dockerfile, or a step of it, is refused. The message begins with the file and the line. */
export class DockerfileError extends Error {
  override readonly name = "DockerfileError";
  readonly line: number;

  constructor(file: string, line: number, why: string, cause?: unknown) {
    super(`${file}:${line}: ${why}`, { cause });
    this.line = line;
  }
}
