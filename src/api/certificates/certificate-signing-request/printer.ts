import { humanDuration } from "../../../meta/human-duration.ts";
import type { Column } from "../../../meta/strategy.ts";
import { ageColumn, column, nameColumn, orNone } from "../../printing.ts";
import type { CertificateSigningRequest } from "./schema.ts";
import { findCondition } from "../../../meta/conditions.ts";

export const requestColumns: readonly Column<CertificateSigningRequest>[] = [
  nameColumn,
  ageColumn,
  column("SignerName", "The requested signer.", ({ spec }) => orNone(spec.signerName)),
  column("Requestor", "The requestor's user name.", ({ spec }) => spec.username ?? ""),
  column("RequestedDuration", "The requested lifetime.", ({ spec }) =>
    spec.expirationSeconds === undefined ? "<none>" : humanDuration(spec.expirationSeconds * 1000),
  ),
  column("Condition", "The state of the request.", conditionText),
];

function conditionText({ status: { conditions = [], certificate } }: CertificateSigningRequest): string {
  const has = (wanted: string) => findCondition(conditions, wanted) !== undefined;
  const decision = has("Denied") ? "Denied" : has("Approved") ? "Approved" : "Pending";
  return `${decision}${has("Failed") ? ",Failed" : ""}${certificate === undefined ? "" : ",Issued"}`;
}
