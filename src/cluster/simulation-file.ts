import { readFileSync, statSync } from "node:fs";
import { UsageError } from "../cli/flags.ts";
import { readSimulation } from "../kubelet/simulated/configuration/read.ts";
import type { SimulationConfiguration } from "../kubelet/simulated/configuration/schema.ts";
import { ConfigurationError } from "../meta/component-configuration.ts";
import { errorText } from "../util/error-text.ts";
import { listedNodes } from "./simulated-nodes.ts";

/** A larger file holds more than the bounds of a configuration allow. */
const maxBytes = 1024 * 1024;

export interface SimulationFile {
  readonly simulation: SimulationConfiguration;
  /** The number of nodes that the file lists; undefined when it lists none. */
  readonly listed: number | undefined;
}

/** Reads the file of `--simulation`. @throws UsageError with the path of what is wrong */
export function readSimulationFile(file: string): SimulationFile {
  try {
    const simulation = readSimulation(textOf(file));
    return { simulation, listed: listedNodes(simulation) };
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    throw new UsageError(`--simulation ${file}: ${error.message}`);
  }
}

function textOf(file: string): string {
  try {
    if (statSync(file).size > maxBytes) throw new ConfigurationError("the file is longer than 1 MiB");
    return readFileSync(file, "utf8");
  } catch (error) {
    if (error instanceof ConfigurationError) throw error;
    throw new UsageError(`Cannot read --simulation: ${errorText(error)}`);
  }
}
