import {
  boolean,
  int32,
  list,
  messages,
  optional,
  pointer,
  rawExtension,
  required,
  string,
} from "../../meta/schema.ts";
import { ListMeta } from "../../meta/v1.ts";

/** Messages of answers, which clients see in the documents and never send. */
const message = messages("io.k8s.apimachinery.pkg.apis.meta.v1");

const StatusCause = message("StatusCause", "One of the reasons behind a status.", {
  reason: optional(1, string, "Why, as one CamelCase word for programs."),
  message: optional(2, string, "Why, for people."),
  field: optional(3, string, "The path of the field that is the cause."),
});

const StatusDetails = message("StatusDetails", "What a status is about.", {
  name: optional(1, string, "The object's name."),
  group: optional(2, string, "The resource's group."),
  kind: optional(3, string, "The resource, or its kind."),
  uid: optional(6, string, "The object's UID."),
  causes: optional(4, list(StatusCause), "All reasons, where there are several."),
  retryAfterSeconds: optional(5, int32, "After how many seconds to try again."),
});

export const Status = message("Status", "The outcome of a request that does not answer with an object.", {
  metadata: optional(1, ListMeta, "Standard list metadata."),
  status: optional(2, string, "Success or Failure."),
  message: optional(3, string, "What happened, for people."),
  reason: optional(4, string, "Why it failed, as one CamelCase word for programs."),
  details: pointer(5, StatusDetails, "What it is about."),
  code: optional(6, int32, "The HTTP status code."),
});

export const WatchEvent = message("WatchEvent", "One change that a watch reports.", {
  type: required(1, string, "ADDED, MODIFIED, DELETED, BOOKMARK or ERROR."),
  object: required(2, rawExtension, "The object after the change; a Status for ERROR."),
});

const APIResource = message("APIResource", "A resource and what it is called.", {
  name: required(1, string, "The plural name, with the subresource after a slash."),
  singularName: required(6, string, "The singular name."),
  namespaced: required(2, boolean, "Whether its objects live in namespaces."),
  kind: required(3, string, "The kind of its objects."),
  group: optional(8, string, "The kind's group, where it is not the list's."),
  version: optional(9, string, "The kind's version, where it is not the list's."),
  verbs: required(4, list(string), "What can be done with it."),
  shortNames: optional(5, list(string), "Abbreviations for the command line."),
  categories: optional(7, list(string), "Collective names that include it."),
  storageVersionHash: optional(10, string, "Changes when the version changes that objects are stored in."),
});

export const APIResourceList = message("APIResourceList", "The resources of one group and version.", {
  groupVersion: required(1, string, "The group and version."),
  resources: required(2, list(APIResource), "The resources."),
});

/** The form of a patch depends on its media type, so its definition has no fields. */
export const patchDefinition = [
  "io.k8s.apimachinery.pkg.apis.meta.v1.Patch",
  { description: "A change, in the format that the request's media type names.", type: "object" },
] as const;
