/** Asynchronous actions: clients call mutations, and nodes call the handlers and store the results. */
import { submitEntry } from '../../../src/execute/action/action-log.ts';
import type { Model } from '../../../src/model/model.ts';
import type { Action } from '../../../src/model/types/action.ts';
import { createActionWorker } from '../../../src/service/async-actions/worker.ts';
import { actionAt, contextWith } from '../../actions/action-run.ts';
import { leaseTimes } from '../engine/call-rules.ts';
import { origins } from '../engine/scenario.ts';
import type { Workload, WorkloadContext } from '../engine/workload.ts';
import { createActionRules } from './rules.ts';
import type { ActionRequest, ActionScenario } from './scenario.ts';

export function createActionWorkload(context: WorkloadContext, scenario: ActionScenario): Workload {
  const { world } = context;
  const { time } = world;
  const actions = new Map(
    origins.map((origin, index) => {
      const action = actionOf(`action${index}`, origin, scenario);
      return [action.name, action];
    }),
  );
  /** When requests were acknowledged, by their number. */
  const acknowledged = new Map<number, number>();
  const rules = createActionRules(context, scenario);

  async function submit(request: ActionRequest): Promise<void> {
    if (!world.isDatabaseUp()) {
      time.after(100, () => submit(request));
      return;
    }
    const { number, action } = request;
    const input = JSON.stringify({ n: number });
    await submitEntry(world.execute, { actionName: `action${action}`, input, headers: '{}', session: '{}' });
    world.log('client', `calls action${action} with ${number}`);
    acknowledged.set(number, time.now());
  }

  return {
    createNode({ process, link, httpClient, observe, listen }) {
      const { handlers, environment, settings } = contextWith(httpClient);
      const worker = createActionWorker({
        database: link.database,
        httpClient,
        handlers,
        observe,
        environment,
        settings,
        node: process.name,
        model: () => ({ actions }) as Pick<Model, 'actions'> as Model,
        pollMs: 1_000,
        perAction: scenario.perDestination,
        overall: 10 * scenario.perDestination,
        retentionDays: 0,
        leaseTimes,
      });
      return {
        async start() {
          await worker.start();
          await listen?.({
            url: 'postgres://simulation',
            channels: ['joinery_actions'],
            onNotify: worker.wake,
            onReconnect: worker.wake,
          });
        },
        stop: worker.stop,
      };
    },
    async begin() {
      for (const request of scenario.events) time.at(request.at, () => submit(request));
    },
    async isDone() {
      if (acknowledged.size < scenario.events.length) return false;
      const text = `select count(*) from joinery.action_log where status in ('created', 'processing')`;
      return Number((await world.execute({ text, values: [] })).rows[0]?.[0]) === 0;
    },
    // The handler gets no number of the attempt: the rules read it.
    calledEvent: ({ body }) => ({ id: String(JSON.parse(body ?? '').input.n), attempt: 0, content: body ?? '' }),
    respond: rules.responseOf,
    atCall: rules.atCall,
    atEnd: () => rules.atEnd((number) => world.isLost(acknowledged.get(number) ?? Number.NaN)),
  };
}

function actionOf(name: string, origin: string, scenario: ActionScenario): Action {
  const { retries, retryIntervalSeconds, timeoutSeconds } = scenario;
  const action = actionAt(`${origin}/act`, {
    kind: 'asynchronous',
    arguments: [{ name: 'n', type: 'Int!' }],
    output_type: 'Int',
    timeout: timeoutSeconds,
    retry_conf: { num_retries: retries, retry_interval_seconds: retryIntervalSeconds },
  });
  return { ...action, name: name as Action['name'] };
}
