/** The files of deploy/platforms, read with the names of members that the platforms document: unknown members are errors. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse as parseToml } from 'smol-toml';
import { parse as parseYaml } from 'yaml';
import { z } from 'zod';

const root = fileURLToPath(new URL('../../../deploy/platforms/', import.meta.url));
export const readPlatformFile = (path: string): string => readFileSync(root + path, 'utf8');

/** One process of the service as a platform runs it. */
export interface PlatformProcess {
  readonly name: string;
  readonly components: string;
  /** Settings that the file sets; those that the page has a table for are not included. */
  readonly settings: readonly string[];
  readonly shutdownSeconds: number;
  /** Seconds between SIGTERM and SIGKILL. */
  readonly stopSeconds: number;
  /** Undefined where the platform checks no endpoint of this process. */
  readonly healthPath: string | undefined;
  /** The smallest number of processes. */
  readonly instances: number;
}

const DEFAULT_SHUTDOWN = 60;
const seconds = z.string().regex(/^\d+s$/);
const variables = z.record(z.string(), z.string());
const pair = z.strictObject({ name: z.string(), value: z.string() });

const FlyCheck = z.strictObject({
  ...{ method: z.string(), path: z.string(), interval: seconds, timeout: seconds, grace_period: seconds },
});
const Fly = z.strictObject({
  ...{ app: z.string(), primary_region: z.string(), kill_signal: z.literal('SIGTERM') },
  kill_timeout: z.int().max(300),
  build: z.strictObject({ image: z.string() }),
  env: variables,
  processes: variables,
  http_service: z.strictObject({
    processes: z.array(z.string()),
    internal_port: z.int(),
    force_https: z.boolean(),
    auto_stop_machines: z.enum(['off', 'stop', 'suspend']),
    auto_start_machines: z.boolean(),
    min_machines_running: z.int(),
    concurrency: z.strictObject({ type: z.enum(['connections', 'requests']), soft_limit: z.int() }),
    checks: z.array(FlyCheck),
  }),
  checks: z.record(
    z.string(),
    FlyCheck.extend({ type: z.literal('http'), port: z.int(), processes: z.array(z.string()) }),
  ),
  vm: z.array(z.strictObject({ processes: z.array(z.string()), size: z.string(), memory: z.string() })),
});

/** Fly.io: two process groups of one app. */
export function flyProcesses(text = readPlatformFile('fly/fly.toml')): readonly PlatformProcess[] {
  const { env, processes, kill_timeout, http_service, checks } = Fly.parse(parseToml(text));
  return Object.entries(processes).map(([name, command]) => {
    const isServed = http_service.processes.includes(name);
    return {
      name,
      components: /--components (\S+)/.exec(command)?.[1] ?? '',
      settings: Object.keys(env),
      shutdownSeconds: Number(env.JOINERY_GRACEFUL_SHUTDOWN_TIMEOUT ?? DEFAULT_SHUTDOWN),
      stopSeconds: kill_timeout,
      healthPath: isServed ? http_service.checks[0]?.path : checks[name]?.path,
      // The proxy stops only machines of a service.
      instances: isServed && http_service.auto_stop_machines !== 'off' ? http_service.min_machines_running : 2,
    };
  });
}

const RenderVariable = z.union([
  z.strictObject({ fromGroup: z.string() }),
  z.strictObject({ key: z.string(), value: z.string() }),
  z.strictObject({ key: z.string(), generateValue: z.literal(true) }),
  z.strictObject({
    key: z.string(),
    fromDatabase: z.strictObject({ name: z.string(), property: z.literal('connectionString') }),
  }),
]);
const Render = z.strictObject({
  databases: z.array(
    z.strictObject({ name: z.string(), plan: z.string(), region: z.string(), postgresMajorVersion: z.string() }),
  ),
  envVarGroups: z.array(z.strictObject({ name: z.string(), envVars: z.array(RenderVariable) })),
  services: z.array(
    z.strictObject({
      type: z.enum(['web', 'worker']),
      ...{ name: z.string(), plan: z.string(), region: z.string() },
      runtime: z.literal('image'),
      image: z.strictObject({ url: z.string() }),
      numInstances: z.int(),
      healthCheckPath: z.string().optional(),
      maxShutdownDelaySeconds: z.int().min(1).max(300),
      envVars: z.array(RenderVariable),
    }),
  ),
});

/** Render: a web service and a worker that share a group of variables. */
export function renderProcesses(text = readPlatformFile('render/render.yaml')): readonly PlatformProcess[] {
  const { services, envVarGroups } = Render.parse(parseYaml(text));
  return services.map((service) => {
    const all = service.envVars.flatMap((variable) =>
      'fromGroup' in variable
        ? (envVarGroups.find(({ name }) => name === variable.fromGroup)?.envVars ?? [])
        : variable,
    );
    const values = new Map(
      all.flatMap((one) => ('key' in one ? [[one.key, 'value' in one ? one.value : ''] as const] : [])),
    );
    return {
      name: service.name,
      components: values.get('JOINERY_COMPONENTS') ?? '',
      settings: [...values.keys()],
      shutdownSeconds: Number(values.get('JOINERY_GRACEFUL_SHUTDOWN_TIMEOUT') ?? DEFAULT_SHUTDOWN),
      stopSeconds: service.maxShutdownDelaySeconds,
      healthPath: service.healthCheckPath,
      instances: service.numInstances,
    };
  });
}

const Railway = z.strictObject({
  $schema: z.literal('https://railway.com/railway.schema.json'),
  build: z.strictObject({ builder: z.literal('DOCKERFILE'), dockerfilePath: z.string() }),
  deploy: z.strictObject({
    ...{ numReplicas: z.int(), healthcheckPath: z.string(), healthcheckTimeout: z.int() },
    restartPolicyType: z.enum(['ALWAYS', 'ON_FAILURE', 'NEVER']),
    ...{ overlapSeconds: z.int(), drainingSeconds: z.int() },
  }),
});

/** Railway: one file for both services, whose variables are in docs/deploy-railway.md. */
export function railwayProcesses(text = readPlatformFile('railway/railway.json')): readonly PlatformProcess[] {
  const { deploy } = Railway.parse(JSON.parse(text));
  return ['api,console', 'events'].map((components) => ({
    ...{ name: `joinery with ${components}`, components, settings: [], shutdownSeconds: DEFAULT_SHUTDOWN },
    ...{ stopSeconds: deploy.drainingSeconds, healthPath: deploy.healthcheckPath, instances: deploy.numReplicas },
  }));
}

const CloudRunProbe = z.strictObject({
  httpGet: z.strictObject({ path: z.string(), port: z.int() }),
  ...{ periodSeconds: z.int(), timeoutSeconds: z.int(), failureThreshold: z.int().optional() },
});
const CloudRun = z.strictObject({
  apiVersion: z.literal('serving.knative.dev/v1'),
  kind: z.literal('Service'),
  metadata: z.strictObject({
    name: z.string(),
    annotations: z.strictObject({ 'run.googleapis.com/ingress': z.enum(['all', 'internal']) }),
  }),
  spec: z.strictObject({
    template: z.strictObject({
      metadata: z.strictObject({
        annotations: z.strictObject({
          'autoscaling.knative.dev/minScale': z.string(),
          'autoscaling.knative.dev/maxScale': z.string(),
          'run.googleapis.com/cpu-throttling': z.literal('false'),
          'run.googleapis.com/network-interfaces': z.string(),
          'run.googleapis.com/vpc-access-egress': z.enum(['private-ranges-only', 'all-traffic']),
        }),
      }),
      spec: z.strictObject({
        serviceAccountName: z.string(),
        containerConcurrency: z.int().max(1_000).optional(),
        timeoutSeconds: z.int().max(3_600).optional(),
        containers: z.tuple([
          z.strictObject({
            ...{ image: z.string(), args: z.array(z.string()) },
            ports: z.tuple([z.strictObject({ containerPort: z.literal(8080) })]),
            env: z.array(
              pair.or(
                z.strictObject({
                  name: z.string(),
                  valueFrom: z.strictObject({ secretKeyRef: z.strictObject({ name: z.string(), key: z.string() }) }),
                }),
              ),
            ),
            ...{ startupProbe: CloudRunProbe, livenessProbe: CloudRunProbe },
            resources: z.strictObject({ limits: z.strictObject({ cpu: z.string(), memory: z.string() }) }),
          }),
        ]),
      }),
    }),
  }),
});

/** Cloud Run sends SIGKILL so many seconds after SIGTERM. */
const CLOUD_RUN_STOP = 10;

/** Google Cloud Run: two services. */
export function cloudRunProcesses(
  texts = [readPlatformFile('cloud-run/service.yaml'), readPlatformFile('cloud-run/events.yaml')],
): readonly PlatformProcess[] {
  return texts.map((text) => {
    const { metadata, spec } = CloudRun.parse(parseYaml(text));
    const [container] = spec.template.spec.containers;
    return {
      name: metadata.name,
      ...ofPairs(container.env),
      stopSeconds: CLOUD_RUN_STOP,
      healthPath: container.startupProbe.httpGet.path,
      instances: Number(spec.template.metadata.annotations['autoscaling.knative.dev/minScale']),
    };
  });
}

const Ecs = z.strictObject({
  ...{ family: z.string(), networkMode: z.literal('awsvpc'), requiresCompatibilities: z.tuple([z.literal('FARGATE')]) },
  ...{ cpu: z.string(), memory: z.string(), executionRoleArn: z.string() },
  runtimePlatform: z.strictObject({
    cpuArchitecture: z.enum(['X86_64', 'ARM64']),
    operatingSystemFamily: z.literal('LINUX'),
  }),
  containerDefinitions: z.tuple([
    z.strictObject({
      ...{ name: z.string(), image: z.string(), command: z.array(z.string()), essential: z.literal(true) },
      portMappings: z.array(z.strictObject({ name: z.string(), containerPort: z.int(), protocol: z.literal('tcp') })),
      stopTimeout: z.int().max(120),
      readonlyRootFilesystem: z.literal(true),
      environment: z.array(pair),
      secrets: z.array(z.strictObject({ name: z.string(), valueFrom: z.string() })),
      linuxParameters: z.strictObject({
        initProcessEnabled: z.boolean(),
        capabilities: z.strictObject({ drop: z.array(z.string()) }),
      }),
      ulimits: z.array(z.strictObject({ name: z.string(), softLimit: z.int(), hardLimit: z.int() })),
      logConfiguration: z.strictObject({ logDriver: z.literal('awslogs'), options: variables }),
    }),
  ]),
});

/** Amazon ECS: two task definitions. The load balancer of the page checks the API. */
export function ecsProcesses(
  texts = [readPlatformFile('ecs/joinery-api.json'), readPlatformFile('ecs/joinery-events.json')],
): readonly PlatformProcess[] {
  return texts.map((text) => {
    const { family, containerDefinitions } = Ecs.parse(JSON.parse(text));
    const [container] = containerDefinitions;
    const variablesOf = ofPairs([...container.environment, ...container.secrets]);
    return { name: family, ...variablesOf, stopSeconds: container.stopTimeout, healthPath: undefined, instances: 2 };
  });
}

function ofPairs(
  pairs: readonly { readonly name: string; readonly value?: string }[],
): Pick<PlatformProcess, 'components' | 'settings' | 'shutdownSeconds'> {
  const values = new Map(pairs.map(({ name, value = '' }) => [name, value]));
  return {
    components: values.get('JOINERY_COMPONENTS') ?? '',
    settings: [...values.keys()],
    shutdownSeconds: Number(values.get('JOINERY_GRACEFUL_SHUTDOWN_TIMEOUT') ?? DEFAULT_SHUTDOWN),
  };
}
