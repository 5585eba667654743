import { expect, test } from "vitest";
import { plain } from "../cli/output/paint.ts";
import { readyText, stoppedText } from "./up-view.ts";

const report = {
  server: "https://127.0.0.1:6443",
  kubeconfig: "/home/me/my clusters/.knarr/kubeconfig",
  context: "knarr-dev",
  dataDir: "/home/me/my clusters/.knarr",
  pid: 1,
  readyMs: 412,
};
const options = { keys: false, detached: false, merged: false, flags: " --name dev" };
const arrows = (text: string) => text.split("\n").filter((line) => line.includes("→"));

test("the ready line has the version, the server and the time; commands to copy are quoted for a shell", () => {
  const text = readyText(report, options, plain);
  expect(text).toContain(" Ready in 412 ms: Kubernetes v1.36.0+knarr on https://127.0.0.1:6443\n");
  expect(arrows(text)[0]).toBe(" → export KUBECONFIG='/home/me/my clusters/.knarr/kubeconfig'");
  expect(text).toContain("Ctrl-C stops the cluster.");
});

test("a terminal shows the keys, a background cluster its stop command, a merged one its context", () => {
  expect(readyText(report, { ...options, keys: true }, plain)).toContain("q stop · c stop and clean up");
  const background = arrows(readyText(report, { ...options, detached: true, merged: true }, plain));
  expect(background[0]).toBe(" → kubectl config use-context knarr-dev");
  expect(background.at(-1)).toMatch(/ down --name dev$/);
});

test("running containers are mentioned only if there are any", () => {
  expect(stoppedText(false, 0, "knarr up")).toBe(" Stopped. Start it again: knarr up\n");
  expect(stoppedText(false, 1, "knarr up")).toContain("1 container keeps running");
  expect(stoppedText(false, 2, "knarr up")).toContain("2 containers keep running");
  expect(stoppedText(true, 2, "knarr up")).toBe(" Stopped; nothing is left.\n");
});
