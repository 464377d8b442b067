/** `<scalar>_comparison_exp`: input objects with the operators of a column type. */
import {
  type GraphQLInputFieldConfig,
  type GraphQLInputFieldConfigMap,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  GraphQLList,
  GraphQLNonNull,
} from 'graphql';
import { type Cast, castsOf, operatorsOf } from '../../model/predicate/operators.ts';
import { betweenColumns } from '../../model/predicate/predicate.ts';
import type { ColumnType } from '../../model/types/column-type.ts';
import type { Operator } from '../../model/types/operator.ts';
import { countedInput, takesColumnValue } from '../binding.ts';
import { leafType } from '../enum-types.ts';
import type { TypeRegistry } from '../registry.ts';

/** `Int_comparison_exp`, `String_array_comparison_exp`, ... */
export function comparison(registry: TypeRegistry, type: ColumnType): GraphQLInputObjectType {
  const name = type.element === undefined ? `${type.scalar}_comparison_exp` : `${type.scalar}_array_comparison_exp`;
  return registry.input(name, () => ({
    extensions: countedInput,
    description: `Boolean expression to compare columns of type "${type.scalar}". All fields are combined with logical 'AND'.`,
    fields: () => comparisonFields(registry, type),
  }));
}

function comparisonFields(registry: TypeRegistry, type: ColumnType): GraphQLInputFieldConfigMap {
  const fields: GraphQLInputFieldConfigMap = {};
  const casts = castsOf(type);
  if (casts.length > 0) fields._cast = { type: castInput(registry, type, casts) };
  for (const operator of operatorsOf(type)) {
    fields[operator.name] = {
      ...argumentInput(registry, operator, type),
      ...(operator.description !== '' && { description: operator.description }),
    };
  }
  if (registry.model.forDataCommands) {
    for (const name of Object.keys(betweenColumns)) fields[name] = { type: listOf(registry.scalar('String')) };
  }
  return fields;
}

/** The input for the right side of an operator on columns of `type`. */
function argumentInput(registry: TypeRegistry, operator: Operator, type: ColumnType): GraphQLInputFieldConfig {
  switch (operator.argument) {
    case 'same':
      return columnInput(registry, type);
    case 'list':
      return { type: listOf(valueType(registry, type)), extensions: takesColumnValue(1) };
    case 'boolean':
      return { type: registry.scalar('Boolean') };
    case 'text':
      return { type: registry.scalar('String') };
    case 'textList':
      return { type: listOf(registry.scalar('String')) };
    default: {
      const { input } = operator.argument;
      const of =
        operator.members === undefined ? registry.scalar(input) : membersInput(registry, input, operator, type);
      return { type: of };
    }
  }
}

/** The input for a value of a column or of a function's argument. */
export function columnInput(registry: TypeRegistry, type: ColumnType, required?: 'required'): ColumnInput {
  const of = valueType(registry, type);
  return { type: required === undefined ? of : new GraphQLNonNull(of), extensions: takesColumnValue() };
}

interface ColumnInput {
  readonly type: GraphQLInputType;
  readonly extensions: ReturnType<typeof takesColumnValue>;
}

/** The scalar of a column; a list for an array. */
function valueType(registry: TypeRegistry, type: ColumnType): GraphQLInputType {
  return type.element === undefined ? leafType(registry, type) : listOf(valueType(registry, type.element));
}

function listOf(type: GraphQLInputType): GraphQLInputType {
  return new GraphQLList(new GraphQLNonNull(type));
}

function membersInput(
  registry: TypeRegistry,
  name: string,
  operator: Operator,
  type: ColumnType,
): GraphQLInputObjectType {
  return registry.input(name, () => {
    const fields: GraphQLInputFieldConfigMap = {};
    for (const member of operator.members?.(type) ?? []) {
      const value = valueType(registry, member.type);
      fields[member.name] = { type: member.default === undefined ? new GraphQLNonNull(value) : value };
    }
    return { extensions: countedInput, fields };
  });
}

function castInput(registry: TypeRegistry, type: ColumnType, casts: readonly Cast[]): GraphQLInputObjectType {
  const name = `${type.scalar}_cast_exp`;
  return registry.input(name, () => ({
    extensions: countedInput,
    fields: () => Object.fromEntries(casts.map((cast) => [cast.name, { type: comparison(registry, cast.type) }])),
  }));
}
