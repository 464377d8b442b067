/** Editor of a comparison: column, operator and operand. */
import { ActionIcon, Select } from '@mantine/core';
import { CrossIcon } from '../../ui/page/icons.tsx';
import { familyOf } from '../sources/type-family.ts';
import { currentOperator, operatorNamed, operatorsOf, type RuleOperator } from './operators.ts';
import type { Comparison } from './rule.ts';
import type { RuleColumn, RuleTable } from './rule-table.ts';
import { reshaped } from './rule-values.ts';
import classes from './rules.module.css';
import { labelOfChanged, useRuleTable, useRuleTerms } from './use-rule-table.ts';
import { ListField, ValueField } from './value-field.tsx';

interface ComparisonRowProps {
  readonly comparison: Comparison;
  /** The table of the column. Undefined while loading. */
  readonly table: RuleTable | undefined;
  /** Whether the comparison is below a relationship, so that columns of the outermost row differ. */
  readonly below: boolean;
  readonly onChange: (comparison: Comparison) => void;
  readonly onRemove: () => void;
}

export function ComparisonRow({ comparison, table, below, onChange, onRemove }: ComparisonRowProps) {
  const { column, operator, value } = comparison;
  const known = table?.columns.find((one) => one.name === column);
  const of: RuleColumn = known ?? { name: column, type: 'text' };
  const strange = table !== undefined && known === undefined && !table.computedFields.includes(column);
  const change = (changes: Partial<Comparison>): void => onChange({ ...comparison, bare: false, ...changes });
  const changeColumn = (name: string): void => {
    const next = table?.columns.find((one) => one.name === name);
    const operators = operatorsOf(next?.type ?? 'text');
    const [first] = operators;
    const kept = operators.find((one) => one.name === currentOperator(operator)) ?? first;
    if (kept === undefined) return;
    const fits = familyOf(next?.type ?? 'text') === familyOf(of.type);
    const shape = reshaped(value, operator, kept);
    change({ column: name, operator: kept.name, value: fits ? shape : reshaped(undefined, '', kept) });
  };
  const changeOperator = (next: RuleOperator): void => {
    const shape = reshaped(value, operator, next);
    const isFresh = next.argument === 'column' && shape === '';
    change({ operator: next.name, value: isFresh ? comparableColumn(table, of) : shape });
  };
  return (
    <div className={classes.comparison}>
      <Select
        aria-label="Column"
        searchable
        allowDeselect={false}
        data={withCurrent(
          [...(table?.columns.map(({ name }) => name) ?? []), ...(table?.computedFields ?? [])],
          column,
        )}
        value={column}
        error={strange ? 'The table has no such column' : undefined}
        onChange={(name) => name !== null && changeColumn(name)}
      />
      <Select
        aria-label={`Operator for ${column}`}
        searchable
        allowDeselect={false}
        data={operatorsFor(of.type, operator)}
        value={currentOperator(operator)}
        onChange={(name) => {
          const next = name === null ? undefined : operatorNamed(name);
          if (next !== undefined) changeOperator(next);
        }}
      />
      <Operand
        comparison={comparison}
        of={of}
        table={table}
        below={below}
        onChange={(right) => change({ value: right })}
      />
      <ActionIcon
        variant="subtle"
        color="gray"
        size={36}
        aria-label={`Remove the condition on ${column}`}
        onClick={onRemove}
      >
        <CrossIcon size={16} />
      </ActionIcon>
    </div>
  );
}

interface OperandProps {
  readonly comparison: Comparison;
  readonly of: RuleColumn;
  readonly table: RuleTable | undefined;
  readonly below: boolean;
  readonly onChange: (value: unknown) => void;
}

/** Inputs preserve typed text. Another column or operator remounts them. */
function Operand({ comparison: { column, operator, value }, of, table, below, onChange }: OperandProps) {
  const label = `Value for ${column}`;
  const key = `${column} ${operator}`;
  const argument = operatorNamed(operator)?.argument ?? 'json';
  switch (argument) {
    case 'list':
      return <ListField key={key} label={label} of={of} value={value} onChange={onChange} />;
    case 'texts':
      return <ListField key={key} label={label} of={{ type: 'text' }} value={value} onChange={onChange} />;
    case 'column':
      return <ColumnOperand key={key} label={label} table={table} below={below} value={value} onChange={onChange} />;
    case 'same':
      return <ValueField key={key} label={label} of={of} value={value} onChange={onChange} />;
    default: {
      const type = { boolean: 'bool', text: 'text', json: 'jsonb' }[argument];
      return <ValueField key={key} label={label} of={{ type }} value={value} onChange={onChange} />;
    }
  }
}

interface ColumnOperandProps extends Pick<OperandProps, 'table' | 'below' | 'onChange'> {
  readonly label: string;
  readonly value: unknown;
}

/** A column of the same or the outermost row, or a path that was written as JSON. */
function ColumnOperand({ label, table, below, value, onChange }: ColumnOperandProps) {
  const terms = useRuleTerms();
  const root = useRuleTable(terms.source, terms.table);
  const own = (table?.columns ?? []).map(({ name }) => ({ value: JSON.stringify(name), label: name }));
  const outer = (below ? (root?.columns ?? []) : []).flatMap(({ name }) =>
    terms.changed === undefined
      ? [{ value: JSON.stringify(['$', name]), label: `${name} of ${terms.table.name}` }]
      : terms.changed.map((row) => ({
          value: JSON.stringify(['$', row, name]),
          label: `${name} of ${labelOfChanged(row)}`,
        })),
  );
  const current = JSON.stringify(value);
  const offered = [...own, ...outer];
  const others = offered.some((one) => one.value === current) ? [] : [{ value: current, label: current }];
  return (
    <Select
      aria-label={label}
      searchable
      allowDeselect={false}
      data={[...offered, ...others]}
      value={current}
      onChange={(chosen) => chosen !== null && onChange(JSON.parse(chosen))}
    />
  );
}

function comparableColumn(table: RuleTable | undefined, { name, type }: RuleColumn): string {
  const others = table?.columns.filter((one) => one.name !== name) ?? [];
  return (others.find((one) => familyOf(one.type) === familyOf(type)) ?? others[0])?.name ?? name;
}

function withCurrent(names: readonly string[], current: string): string[] {
  return names.includes(current) ? [...names] : [current, ...names];
}

function operatorsFor(type: string, current: string) {
  const name = currentOperator(current);
  const offered = operatorsOf(type).map((one) => ({ value: one.name, label: `${one.reads} (${one.name})` }));
  if (offered.some((one) => one.value === name)) return offered;
  return [{ value: name, label: `${operatorNamed(name)?.reads ?? ''} (${name})`.trim() }, ...offered];
}
