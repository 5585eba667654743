/** The objects of the application. Each tier has all three probes; a Pod that ends serves on for three seconds. */

const labels = (name: string) => ({ app: name });

function probes(port: number): object {
  const httpGet = { path: "/healthz", port };
  return {
    startupProbe: { httpGet, periodSeconds: 1, failureThreshold: 60 },
    readinessProbe: { httpGet, periodSeconds: 1, timeoutSeconds: 5 },
    livenessProbe: { httpGet, periodSeconds: 5, timeoutSeconds: 5, failureThreshold: 6 },
  };
}

/** Returns the Pods' template of a tier. */
export function template(name: string, image: string, port: number, more: object = {}, spec: object = {}) {
  return {
    metadata: { labels: labels(name) },
    spec: {
      terminationGracePeriodSeconds: 20,
      containers: [
        {
          name: "main",
          image,
          imagePullPolicy: "IfNotPresent" as const,
          ports: [{ containerPort: port }],
          resources: { requests: { cpu: "100m", memory: "64Mi" } },
          lifecycle: { preStop: { sleep: { seconds: 3 } } },
          ...probes(port),
          ...more,
        },
      ],
      ...spec,
    },
  };
}

export function service(name: string, port: number) {
  return { metadata: { name }, spec: { selector: labels(name), ports: [{ port, targetPort: port }] } };
}

/** Returns a Deployment that adds a Pod before it removes one. */
export function deployment(name: string, replicas: number, podTemplate: ReturnType<typeof template>) {
  return {
    metadata: { name },
    spec: {
      replicas,
      selector: { matchLabels: labels(name) },
      strategy: { type: "RollingUpdate" as const, rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
      template: podTemplate,
    },
  };
}

/** The claim of the database; the default StorageClass gives it a directory of the node. */
export const claim = {
  metadata: { name: "data" },
  spec: { accessModes: ["ReadWriteOnce" as const], resources: { requests: { storage: "100Mi" } } },
};

export const database = {
  metadata: { name: "db" },
  spec: {
    replicas: 1,
    selector: { matchLabels: labels("db") },
    strategy: { type: "Recreate" as const },
    template: template(
      "db",
      "knarr.local/app-db:1",
      5432,
      { volumeMounts: [{ name: "data", mountPath: "/data" }] },
      {
        securityContext: { fsGroup: 1000 },
        volumes: [{ name: "data", persistentVolumeClaim: { claimName: "data" } }],
      },
    ),
  },
};

export const autoscaler = {
  metadata: { name: "api" },
  spec: {
    scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "api" },
    minReplicas: 1,
    maxReplicas: 4,
    metrics: [
      {
        type: "Resource" as const,
        resource: { name: "cpu", target: { type: "Utilization" as const, averageUtilization: 60 } },
      },
    ],
  },
};
