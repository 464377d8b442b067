import { expect, test } from 'vitest';
import { columnConfig, namesOf, withColumn, withNames } from './table-configuration.ts';

const configuration = {
  custom_name: 'Buyer',
  custom_column_names: { id: 'key' },
  column_config: { name: { custom_name: 'fullName', comment: 'all of it' } },
  custom_root_fields: { select: 'buyers', insert: { name: null, comment: 'adds' } },
};

test('reads the older format of column names and writes the current one', () => {
  expect(columnConfig(configuration, 'id')).toEqual({ custom_name: 'key' });
  expect(withColumn(configuration, 'id', { name: 'number', comment: '' })).toEqual({
    ...configuration,
    custom_column_names: {},
    column_config: { ...configuration.column_config, id: { custom_name: 'number' } },
  });
});

test('an empty name removes only its setting', () => {
  const changed = withColumn(configuration, 'name', { name: '', comment: '' });
  expect(changed.column_config).toEqual({});
  expect(changed.custom_name).toBe('Buyer');
});

test('reads and writes names of root fields, and preserves their comments', () => {
  const names = namesOf(configuration);
  expect(names).toMatchObject({ customName: 'Buyer', comment: '', roots: { select: 'buyers', insert: '' } });
  expect(
    withNames(configuration, { ...names, customName: '', roots: { ...names.roots, delete: 'removeBuyers' } }),
  ).toEqual({
    custom_column_names: configuration.custom_column_names,
    column_config: configuration.column_config,
    custom_root_fields: { select: 'buyers', insert: { comment: 'adds' }, delete: 'removeBuyers' },
  });
});
