/** The plan of the last run. */
import { Text } from '@mantine/core';
import { boxesOf } from '../../../shared/graphql/plan/plan.ts';
import { PlanView } from '../../../shared/graphql/plan/plan-view.tsx';
import { FailureNotice } from '../../../ui/feedback/failure-notice.tsx';
import { Loading } from '../../../ui/feedback/loading.tsx';
import type { Run } from '../run/runs.ts';
import classes from './plan-pane.module.css';

export function PlanPane({ run, sendsSecret }: { readonly run: Run | undefined; readonly sendsSecret: boolean }) {
  return (
    <section className={classes.pane} aria-labelledby="plan-title">
      <div className={classes.head}>
        <h2 className={classes.title} id="plan-title">
          Plan
        </h2>
      </div>
      <div className={classes.content}>
        <PlanContent run={run} sendsSecret={sendsSecret} />
      </div>
    </section>
  );
}

function PlanContent({ run, sendsSecret }: { readonly run: Run | undefined; readonly sendsSecret: boolean }) {
  if (!sendsSecret)
    return <Remark>The plan is computed for a role and session variables: send the admin secret to see it.</Remark>;
  if (run === undefined) return <Remark>Statements, calls and joins of the operation are shown when it is run.</Remark>;
  const { plan } = run;
  if (plan === undefined) return run.state === 'running' ? <Loading /> : <Remark>No plan was requested.</Remark>;
  if (plan.failure !== undefined) return <FailureNotice title="There is no plan" failure={plan.failure} />;
  if (plan.steps === undefined || plan.steps.length === 0) return <Remark>It needs no statements or calls.</Remark>;
  return <PlanView boxes={boxesOf(plan.steps)} what="Plan" />;
}

function Remark({ children }: { readonly children: string }) {
  return (
    <Text size="sm" c="dimmed">
      {children}
    </Text>
  );
}
