/** `<scalar>_comparison_exp`: the operators of a column type as an input object. */
import {
  type GraphQLInputFieldConfigMap,
  GraphQLInputObjectType,
  type GraphQLInputType,
  GraphQLList,
  GraphQLNonNull,
} from 'graphql';
import { type Cast, castsOf, operatorsOf } from '../model/operators.ts';
import type { ColumnType, Operator } from '../model/table-model.ts';
import { leafType } from './enum-types.ts';
import type { TypeRegistry } from './registry.ts';

/** `Int_comparison_exp`, `String_array_comparison_exp`, ... */
export function comparison(registry: TypeRegistry, type: ColumnType): GraphQLInputObjectType {
  const name = type.element === undefined ? `${type.scalar}_comparison_exp` : `${type.scalar}_array_comparison_exp`;
  return registry.named(
    name,
    () =>
      new GraphQLInputObjectType({
        name,
        description: `Boolean expression to compare columns of type "${type.scalar}". All fields are combined with logical 'AND'.`,
        fields: () => comparisonFields(registry, type),
      }),
  );
}

function comparisonFields(registry: TypeRegistry, type: ColumnType): GraphQLInputFieldConfigMap {
  const fields: GraphQLInputFieldConfigMap = {};
  const casts = castsOf(type);
  if (casts.length > 0) fields._cast = { type: castInput(registry, type, casts) };
  for (const operator of operatorsOf(type)) {
    fields[operator.name] = {
      type: argumentInput(registry, operator, type),
      ...(operator.description !== '' && { description: operator.description }),
    };
  }
  return fields;
}

/** The type of an operator's right side for columns of `type`. */
function argumentInput(registry: TypeRegistry, operator: Operator, type: ColumnType): GraphQLInputType {
  switch (operator.argument) {
    case 'same':
      return valueInput(registry, type);
    case 'list':
      return listOf(valueInput(registry, type));
    case 'element':
      return registry.scalar(type.scalar);
    case 'boolean':
      return registry.scalar('Boolean');
    case 'text':
      return registry.scalar('String');
    case 'textList':
      return listOf(registry.scalar('String'));
    default: {
      const { input } = operator.argument;
      return operator.members === undefined ? registry.scalar(input) : membersInput(registry, input, operator, type);
    }
  }
}

/** A value of a column: the scalar, or of an array a list of it. */
export function valueInput(registry: TypeRegistry, type: ColumnType): GraphQLInputType {
  return type.element === undefined ? leafType(registry, type) : listOf(valueInput(registry, type.element));
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
  return registry.named(name, () => {
    const fields: GraphQLInputFieldConfigMap = {};
    for (const member of operator.members?.(type) ?? []) {
      const value = valueInput(registry, member.type);
      fields[member.name] = { type: member.default === undefined ? new GraphQLNonNull(value) : value };
    }
    return new GraphQLInputObjectType({ name, fields });
  });
}

function castInput(registry: TypeRegistry, type: ColumnType, casts: readonly Cast[]): GraphQLInputObjectType {
  const name = `${type.scalar}_cast_exp`;
  return registry.named(
    name,
    () =>
      new GraphQLInputObjectType({
        name,
        fields: () => Object.fromEntries(casts.map((cast) => [cast.name, { type: comparison(registry, cast.type) }])),
      }),
  );
}
