import {
  checkConfiguration,
  decodeStrictly,
  parseConfiguration,
} from "../../../meta/component-configuration.ts";
import { apiVersion, kind, SimulationConfiguration, type SimulationInput } from "./schema.ts";
import { validateSimulation } from "./validation.ts";

/** Reads a SimulationConfiguration in YAML or JSON. @throws ConfigurationError */
export function readSimulation(text: string): SimulationConfiguration {
  return checked(parseConfiguration(text, { apiVersion, kind }));
}

/** Decodes and checks a configuration that a program gives. @throws ConfigurationError */
export function simulationOf(input: SimulationInput): SimulationConfiguration {
  return checked(input);
}

function checked(value: unknown): SimulationConfiguration {
  const configuration = decodeStrictly(SimulationConfiguration, value);
  checkConfiguration([...validateSimulation(configuration)]);
  return configuration;
}
