import { ingressClasses } from "../../api/networking/ingress-class/schema.ts";
import { ingresses } from "../../api/networking/ingress/schema.ts";
import { youngest } from "../../meta/youngest.ts";
import { about, type AdmissionPlugin } from "./plugin.ts";

/** Gives a new Ingress without a class the default class (plugin `network/defaultingressclass`). */
export const defaultIngressClass: AdmissionPlugin = {
  name: "DefaultIngressClass",
  mutate(attributes, { reader }) {
    const { operation, object } = about(ingresses, attributes) ?? {};
    if (operation !== "CREATE" || object === undefined || object.spec.ingressClassName !== undefined) return;
    if (object.metadata.annotations?.["kubernetes.io/ingress.class"] !== undefined) return;
    const defaults = reader
      .list(ingressClasses)
      .filter(
        ({ metadata }) => metadata.annotations?.["ingressclass.kubernetes.io/is-default-class"] === "true",
      );
    const name = youngest(defaults)?.metadata.name;
    if (name !== undefined) object.spec.ingressClassName = name;
  },
};
