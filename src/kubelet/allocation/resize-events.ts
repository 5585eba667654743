import type { Pod } from "../../api/core/pod/schema.ts";

/** Returns the text of an Event on a resize: the sizes as JSON (kubelet `events/resize.go`). */
export function resizeText(what: string, { spec }: Pod, generation: number, error = ""): string {
  const summary = (containers: Pod["spec"]["containers"]) =>
    containers.map(({ name, resources }) => ({ name, resources }));
  const { initContainers = [] } = spec;
  const sizes = {
    ...(initContainers.length > 0 && { initContainers: summary(initContainers) }),
    containers: summary(spec.containers),
    generation,
    ...(error !== "" && { error }),
  };
  return `${what}: ${JSON.stringify(sizes)}`;
}
