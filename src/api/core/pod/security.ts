import {
  type Out,
  boolean,
  int64,
  list,
  messages,
  oneOf,
  optional,
  pointer,
  required,
  string,
} from "../../../meta/schema.ts";

const message = messages("io.k8s.api.core.v1");

export const Capabilities = message("Capabilities", "POSIX capabilities that are added or dropped.", {
  add: optional(1, list(string), "Added capabilities."),
  drop: optional(2, list(string), "Dropped capabilities."),
});
export type Capabilities = Out<typeof Capabilities>;

export const SELinuxOptions = message("SELinuxOptions", "The SELinux label of a container.", {
  user: optional(1, string, "The user part."),
  role: optional(2, string, "The role part."),
  type: optional(3, string, "The type part."),
  level: optional(4, string, "The level part."),
});
export type SELinuxOptions = Out<typeof SELinuxOptions>;

export const WindowsSecurityContextOptions = message(
  "WindowsSecurityContextOptions",
  "Security settings for Windows.",
  {
    gmsaCredentialSpecName: pointer(1, string, "The GMSA credential spec, by name."),
    gmsaCredentialSpec: pointer(2, string, "The GMSA credential spec, in full."),
    runAsUserName: pointer(3, string, "The Windows user of the entrypoint."),
    hostProcess: pointer(4, boolean, "Whether the container runs as a host process."),
  },
);
export type WindowsSecurityContextOptions = Out<typeof WindowsSecurityContextOptions>;

export const SeccompProfile = message("SeccompProfile", "The seccomp filter of a container.", {
  type: required(1, oneOf("Localhost", "RuntimeDefault", "Unconfined"), "The type of the profile."),
  localhostProfile: pointer(2, string, "The profile's path on the node; only for Localhost."),
});
export type SeccompProfile = Out<typeof SeccompProfile>;

export const AppArmorProfile = message("AppArmorProfile", "The AppArmor profile of a container.", {
  type: required(1, oneOf("Localhost", "RuntimeDefault", "Unconfined"), "The type of the profile."),
  localhostProfile: pointer(2, string, "The profile's name on the node; only for Localhost."),
});
export type AppArmorProfile = Out<typeof AppArmorProfile>;

export const SecurityContext = message(
  "SecurityContext",
  "Security settings of one container; they override those of the Pod.",
  {
    capabilities: pointer(1, Capabilities, "Capabilities to add or drop."),
    privileged: pointer(2, boolean, "Whether processes have the privileges of root on the host."),
    seLinuxOptions: pointer(3, SELinuxOptions, "The SELinux label."),
    windowsOptions: pointer(10, WindowsSecurityContextOptions, "Settings for Windows."),
    runAsUser: pointer(4, int64, "The user ID of the entrypoint; the image's own when absent."),
    runAsGroup: pointer(8, int64, "The group ID of the entrypoint."),
    runAsNonRoot: pointer(5, boolean, "Whether the container must not run as root."),
    readOnlyRootFilesystem: pointer(6, boolean, "Whether the root file system is read-only."),
    allowPrivilegeEscalation: pointer(
      7,
      boolean,
      "Whether a process can gain more privileges than its parent.",
    ),
    procMount: pointer(
      9,
      oneOf("Default", "Unmasked"),
      "The mount type of /proc; the runtime's default masks paths.",
    ),
    seccompProfile: pointer(11, SeccompProfile, "The seccomp filter."),
    appArmorProfile: pointer(12, AppArmorProfile, "The AppArmor profile."),
  },
);
export type SecurityContext = Out<typeof SecurityContext>;

export const Sysctl = message("Sysctl", "A kernel parameter.", {
  name: required(1, string, "The parameter."),
  value: required(2, string, "The parameter's value."),
});
export type Sysctl = Out<typeof Sysctl>;

export const PodSecurityContext = message(
  "PodSecurityContext",
  "Security settings of a Pod and all its containers.",
  {
    seLinuxOptions: pointer(1, SELinuxOptions, "The SELinux label."),
    windowsOptions: pointer(8, WindowsSecurityContextOptions, "Settings for Windows."),
    runAsUser: pointer(2, int64, "The user ID of entrypoints; the image's own when absent."),
    runAsGroup: pointer(6, int64, "The group ID of entrypoints."),
    runAsNonRoot: pointer(3, boolean, "Whether the container must not run as root."),
    supplementalGroups: optional(4, list(int64), "Further groups of each container's first process."),
    supplementalGroupsPolicy: pointer(
      12,
      oneOf("Merge", "Strict"),
      "The policy for the groups of the image: Merge or Strict.",
    ),
    fsGroup: pointer(5, int64, "The group that owns volumes that support ownership."),
    sysctls: optional(7, list(Sysctl), "Namespaced kernel parameters."),
    fsGroupChangePolicy: pointer(
      9,
      oneOf("Always", "OnRootMismatch"),
      "The policy for changes of ownership of volumes; Always when absent.",
    ),
    seccompProfile: pointer(10, SeccompProfile, "The seccomp filter."),
    appArmorProfile: pointer(11, AppArmorProfile, "The AppArmor profile."),
    seLinuxChangePolicy: pointer(
      13,
      string,
      "The policy for SELinux labels of volumes: Recursive or MountOption.",
    ),
  },
);
export type PodSecurityContext = Out<typeof PodSecurityContext>;
