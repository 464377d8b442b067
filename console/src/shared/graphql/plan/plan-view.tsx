/** The plan of a request as nested boxes. */
import { Text } from '@mantine/core';
import { JsonView } from '../../../ui/page/json-view.tsx';
import classes from './plan.module.css';
import type { PlanBox } from './plan.ts';

export function PlanView({ boxes, what }: { readonly boxes: readonly PlanBox[]; readonly what: string }) {
  return (
    <ul className={classes.plan} aria-label={what}>
      {boxes.map((box) => (
        <li key={`${box.fields} ${box.title}`} className={`${classes.box} ${classes[box.kind]}`}>
          <Text size="sm" fw={600} style={{ overflowWrap: 'anywhere' }}>
            {box.fields}
          </Text>
          <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
            {box.title}
          </Text>
          {box.facts.map((fact) => (
            <Text key={fact} size="xs" c="dimmed">
              {fact}
            </Text>
          ))}
          {box.text !== undefined && (
            <details className={classes.details}>
              <summary>{box.kind === 'statement' ? 'SQL and plan' : 'Document'}</summary>
              <JsonView plain what={`text of ${box.fields}`} text={box.text} />
            </details>
          )}
          {box.joins.length > 0 && <PlanView boxes={box.joins} what={`joined to ${box.fields}`} />}
        </li>
      ))}
    </ul>
  );
}
