/** The flags that choose what runs containers. */
export const runtimeFlags = {
  runtime: {
    type: "string",
    value: "NAME",
    default: "auto",
    help: "What runs containers: auto, native, cri or simulated.",
  },
  "container-runtime-endpoint": {
    type: "string",
    value: "SOCKET",
    help: "The socket of containerd or CRI-O, for --runtime cri; by default theirs.",
  },
} as const;

/** The last flags of the components that are programs of their own. */
export const programFlags = {
  "log-level": {
    type: "string",
    value: "LEVEL",
    default: "info",
    help: "What to log on standard error: debug, info, warn or error.",
  },
  help: { type: "bool", short: "h", default: false, help: "Show this help." },
} as const;
