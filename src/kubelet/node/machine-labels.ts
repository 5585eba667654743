/** Returns the labels with which every node registers (kubelet `initialNode`); `architecture` is Go's name of it. */
export function machineLabels(nodeName: string, architecture: string): Readonly<Record<string, string>> {
  return {
    "kubernetes.io/hostname": nodeName,
    "kubernetes.io/os": "linux",
    "kubernetes.io/arch": architecture,
    "beta.kubernetes.io/os": "linux",
    "beta.kubernetes.io/arch": architecture,
  };
}
