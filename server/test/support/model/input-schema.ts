/** A schema with inputs of every use that the planner distinguishes: column values, conditions, digits and decisive members. */
import {
  GraphQLEnumType,
  GraphQLInputObjectType,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLScalarType,
  GraphQLSchema,
  GraphQLString,
} from 'graphql';
import { readDocument } from '../../../src/plan/document/documents.ts';
import { InvalidDocument } from '../../../src/plan/document/validation.ts';
import { countedInput, decidesPlan, plannedName, takesColumnValue, takesDigits } from '../../../src/schema/binding.ts';
import { makeScalar } from '../../../src/schema/scalars.ts';

const listOf = <Type extends GraphQLInputObjectType | GraphQLScalarType>(type: Type) =>
  new GraphQLList(new GraphQLNonNull(type));
const texts = listOf(GraphQLString);
const jsonb = makeScalar('jsonb');

const size = new GraphQLEnumType({ name: 'Size', values: { S: { value: 'small' }, L: { value: 'large' } } });

/** A scalar of which every value is invalid, with an error that is not a ServiceError. */
const broken = new GraphQLScalarType({
  name: 'broken',
  parseValue: () => {
    throw new TypeError('no value fits');
  },
});

const order = new GraphQLInputObjectType({
  name: 'Order',
  fields: {
    by: { type: GraphQLString, extensions: decidesPlan },
    next: { type: GraphQLString },
    size: { type: size },
    written: { type: new GraphQLNonNull(GraphQLInt), defaultValue: 1, extensions: plannedName('planned') },
  },
});

const row = new GraphQLInputObjectType({
  name: 'Row',
  fields: {
    id: { type: new GraphQLNonNull(GraphQLInt), extensions: plannedName('key') },
    tags: { type: texts, extensions: takesColumnValue() },
    data: { type: jsonb },
  },
});

const condition: GraphQLInputObjectType = new GraphQLInputObjectType({
  name: 'Condition',
  extensions: countedInput,
  fields: () => ({
    equals: { type: GraphQLInt, extensions: takesColumnValue() },
    in: { type: listOf(GraphQLInt), extensions: takesColumnValue(1) },
    tags: { type: texts, extensions: takesColumnValue() },
    tagsIn: { type: new GraphQLList(new GraphQLNonNull(texts)), extensions: takesColumnValue(1) },
    count: { type: GraphQLInt },
    words: { type: texts },
    and: { type: listOf(condition) },
  }),
});

const list: GraphQLObjectType = new GraphQLObjectType({
  name: 'List',
  fields: () => ({
    id: { type: GraphQLInt },
    list: {
      type: list,
      args: {
        where: { type: condition },
        order: { type: new GraphQLList(order) },
        rows: { type: listOf(row) },
        equals: { type: GraphQLInt, extensions: takesColumnValue() },
        tags: { type: texts, extensions: takesColumnValue() },
        tagsIn: { type: new GraphQLList(new GraphQLNonNull(texts)), extensions: takesColumnValue(1) },
        ints: { type: listOf(GraphQLInt), extensions: takesColumnValue() },
        otherInts: { type: listOf(GraphQLInt) },
        words: { type: texts },
        size: { type: size },
        offset: { type: GraphQLInt, extensions: takesDigits },
        limit: { type: GraphQLInt },
        page: { type: new GraphQLNonNull(GraphQLInt), defaultValue: 1 },
        data: { type: jsonb },
        broken: { type: broken },
      },
    },
  }),
});

export const inputSchema = new GraphQLSchema({ query: list });

/** Returns the validation errors of the document as `path: message`. */
export function inputErrors(query: string): readonly string[] {
  try {
    readDocument(inputSchema, query);
    return [];
  } catch (error) {
    if (!(error instanceof InvalidDocument)) throw error;
    return error.errors.map(({ path, message }) => `${path}: ${message}`);
  }
}
