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

export const Capabilities = message("Capabilities", "A capabilities.", {
  add: optional(1, list(string), "The add."),
  drop: optional(2, list(string), "The drop."),
});
export type Capabilities = Out<typeof Capabilities>;

export const SELinuxOptions = message("SELinuxOptions", "A se linux options.", {
  user: optional(1, string, "The user."),
  role: optional(2, string, "The role."),
  type: optional(3, string, "The type."),
  level: optional(4, string, "The level."),
});
export type SELinuxOptions = Out<typeof SELinuxOptions>;

export const WindowsSecurityContextOptions = message(
  "WindowsSecurityContextOptions",
  "A windows security context options.",
  {
    gmsaCredentialSpecName: pointer(1, string, "The gmsa credential spec name."),
    gmsaCredentialSpec: pointer(2, string, "The gmsa credential spec."),
    runAsUserName: pointer(3, string, "The run as user name."),
    hostProcess: pointer(4, boolean, "The host process."),
  },
);
export type WindowsSecurityContextOptions = Out<typeof WindowsSecurityContextOptions>;

export const SeccompProfile = message("SeccompProfile", "A seccomp profile.", {
  type: required(1, oneOf("Localhost", "RuntimeDefault", "Unconfined"), "The type."),
  localhostProfile: pointer(2, string, "The localhost profile."),
});
export type SeccompProfile = Out<typeof SeccompProfile>;

export const AppArmorProfile = message("AppArmorProfile", "A app armor profile.", {
  type: required(1, oneOf("Localhost", "RuntimeDefault", "Unconfined"), "The type."),
  localhostProfile: pointer(2, string, "The localhost profile."),
});
export type AppArmorProfile = Out<typeof AppArmorProfile>;

export const SecurityContext = message("SecurityContext", "A security context.", {
  capabilities: pointer(1, Capabilities, "The capabilities."),
  privileged: pointer(2, boolean, "The privileged."),
  seLinuxOptions: pointer(3, SELinuxOptions, "The se linux options."),
  windowsOptions: pointer(10, WindowsSecurityContextOptions, "The windows options."),
  runAsUser: pointer(4, int64, "The run as user."),
  runAsGroup: pointer(8, int64, "The run as group."),
  runAsNonRoot: pointer(5, boolean, "The run as non root."),
  readOnlyRootFilesystem: pointer(6, boolean, "The read only root filesystem."),
  allowPrivilegeEscalation: pointer(7, boolean, "The allow privilege escalation."),
  procMount: pointer(9, oneOf("Default", "Unmasked"), "The proc mount."),
  seccompProfile: pointer(11, SeccompProfile, "The seccomp profile."),
  appArmorProfile: pointer(12, AppArmorProfile, "The app armor profile."),
});
export type SecurityContext = Out<typeof SecurityContext>;

export const Sysctl = message("Sysctl", "A sysctl.", {
  name: required(1, string, "The name."),
  value: required(2, string, "The value."),
});
export type Sysctl = Out<typeof Sysctl>;

export const PodSecurityContext = message("PodSecurityContext", "A pod security context.", {
  seLinuxOptions: pointer(1, SELinuxOptions, "The se linux options."),
  windowsOptions: pointer(8, WindowsSecurityContextOptions, "The windows options."),
  runAsUser: pointer(2, int64, "The run as user."),
  runAsGroup: pointer(6, int64, "The run as group."),
  runAsNonRoot: pointer(3, boolean, "The run as non root."),
  supplementalGroups: optional(4, list(int64), "The supplemental groups."),
  supplementalGroupsPolicy: pointer(12, oneOf("Merge", "Strict"), "The supplemental groups policy."),
  fsGroup: pointer(5, int64, "The fs group."),
  sysctls: optional(7, list(Sysctl), "The sysctls."),
  fsGroupChangePolicy: pointer(9, oneOf("Always", "OnRootMismatch"), "The fs group change policy."),
  seccompProfile: pointer(10, SeccompProfile, "The seccomp profile."),
  appArmorProfile: pointer(11, AppArmorProfile, "The app armor profile."),
  seLinuxChangePolicy: pointer(13, string, "The se linux change policy."),
});
export type PodSecurityContext = Out<typeof PodSecurityContext>;
