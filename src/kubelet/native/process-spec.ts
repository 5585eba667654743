import type { ResolvedImage } from "../images/image.ts";
import { RuntimeError, type ContainerConfig } from "../runtime.ts";
import { resolveCredentials } from "./credentials.ts";
import type { ProcessSpec } from "./records.ts";

const defaultPath = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/**
 * Merges image and Pod.
 * @throws RuntimeError `CreateContainerError` when there is no command; see also `resolveCredentials`.
 */
export async function processSpec(
  image: ResolvedImage,
  config: ContainerConfig,
  hostname: string,
): Promise<ProcessSpec> {
  const { entrypoint, cmd } = image.config;
  // A command replaces both; arguments alone replace only the image's own (docs: "Define a command and
  // arguments").
  const own = config.args.length > 0 ? config.args : cmd;
  const argv = config.command.length > 0 ? [...config.command, ...config.args] : [...entrypoint, ...own];
  if (argv[0] === undefined || argv[0] === "") {
    throw new RuntimeError("CreateContainerError", "no command specified");
  }
  const credentials = await resolveCredentials(image, config.security);
  const variables = [
    defaultPath,
    `HOSTNAME=${hostname}`,
    `HOME=${credentials.home ?? "/"}`,
    ...(config.tty ? ["TERM=xterm"] : []),
    ...image.config.env,
    ...config.env.map(({ name, value }) => `${name}=${value}`),
  ];
  return {
    argv,
    env: lastOfEach(variables),
    cwd: config.workingDir || image.config.workingDir || "/",
    credentials,
    stopSignal: config.stopSignal || image.config.stopSignal || "SIGTERM",
  };
}

function lastOfEach(variables: readonly string[]): readonly string[] {
  return [...new Map(variables.map((variable) => [variable.split("=", 1)[0], variable])).values()];
}
