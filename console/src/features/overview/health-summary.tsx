/** Whether the service is well, and what needs attention, each with a link to its page. */
import { Anchor, Paper, Text, Title } from '@mantine/core';
import { linkTo } from '../../router/location.ts';
import { counted } from '../../ui/format.ts';
import type { Finding } from './health.ts';
import classes from './health-summary.module.css';

interface HealthSummaryProps {
  readonly findings: readonly Finding[];
  /** Whether everything was read at least once. */
  readonly isComplete: boolean;
  /** Whether something could not be read. */
  readonly hasFailed: boolean;
}

export function HealthSummary({ findings, isComplete, hasFailed }: HealthSummaryProps) {
  const { text, tone } = summaryOf({ findings, isComplete, hasFailed });
  return (
    <Paper withBorder bg="var(--joinery-surface)" component="section" aria-labelledby="health">
      <div role="status">
        <Title order={2} id="health" className={classes.head ?? ''}>
          <span className={`${classes.dot} ${classes[tone]}`} aria-hidden="true" />
          {text}
        </Title>
      </div>
      {findings.length > 0 && (
        <ul className={classes.findings} aria-label="What needs attention">
          {findings.map(({ severity, title, text: detail, to }) => (
            <li key={title} className={classes.finding}>
              <span className={`${classes.dot} ${classes[severity]}`} aria-hidden="true" />
              <div>
                <Anchor {...(to.startsWith('#') ? { href: to } : linkTo(to))} inherit className={classes.link ?? ''}>
                  {title}
                </Anchor>
                <Text size="sm" c="dimmed">
                  {detail}
                </Text>
              </div>
            </li>
          ))}
        </ul>
      )}
    </Paper>
  );
}

function summaryOf({ findings, isComplete, hasFailed }: HealthSummaryProps) {
  const bad = findings.filter(({ severity }) => severity === 'bad').length;
  if (bad > 0)
    return { text: `${counted(bad, 'problem')} ${bad === 1 ? 'needs' : 'need'} attention`, tone: 'bad' } as const;
  if (hasFailed) return { text: 'Not known: not everything could be read', tone: 'bad' } as const;
  if (!isComplete) return { text: 'Reading the state of the service', tone: 'unknown' } as const;
  if (findings.length > 0)
    return { text: `All is well, with ${counted(findings.length, 'notice')}`, tone: 'notice' } as const;
  return { text: 'All is well', tone: 'good' } as const;
}
