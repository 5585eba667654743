/** The fields of every object. Clients know the first words of the descriptions, which are upstream's. */
export const typeMeta = {
  apiVersion: {
    type: "string",
    description: "APIVersion defines the group and version of this object's schema, such as apps/v1.",
  },
  kind: { type: "string", description: "Kind is the kind of this object, in CamelCase." },
};
