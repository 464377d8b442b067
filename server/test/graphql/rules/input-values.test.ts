/** Rules of values in requests: the kinds of JSON that each type takes, null, lists and variables. */
import { afterAll, beforeAll, beforeEach, describe } from 'vitest';
import { DE, PF, prove, type Rules, startRules, VF } from './rules-fixture.ts';

let rules: Rules;
beforeAll(async () => {
  rules = await startRules();
});
afterAll(() => rules?.stop());

const set = (value: string) => `mutation { update_author_by_pk(pk_columns: {id: 3}, _set: {${value}}) { id } }`;
const where = (condition: string) => `{ author(where: {${condition}}, order_by: {id: asc}) { id } }`;
const done = { data: { update_author_by_pk: { id: 3 } } };
const ids = (...list: number[]) => ({ data: { author: list.map((id) => ({ id })) } });

describe('a value of a column', () => {
  beforeEach(() => rules.refill());

  prove(
    () => rules,
    [
      ['of type int4 may be a string', set('id: "3"'), done],
      ['of type int4 that is no number is rejected by the database', set('id: "x"'), DE],
      ['of type int4 cannot be a fraction', set('id: 1.5'), PF],
      ['of type int4 cannot be out of range', set('id: 3000000000'), PF],
      ['of type int4 cannot be a boolean', set('id: true'), PF],
      ['of type int4 cannot be an object', set('id: {a: 1}'), PF],
      ['of type int2 cannot be out of range', set('age: 40000'), PF],
      ['of type int8 cannot be out of range', set('big: 9223372036854775808'), PF],
      ['of type int8 cannot be a fraction', set('big: 1.5'), PF],
      ['of type numeric may be a number', set('exact: 1.5'), done],
      ['of type numeric may be a string', set('exact: "1.5"'), done],
      ['of type numeric cannot be a boolean', set('exact: true'), PF],
      ['of type real may be a whole number', set('ratio: 1'), done],
      ['of type float8 may be a whole number', set('score: 1'), done],
      ['of type float8 may be a string', set('score: "1.5"'), done],
      ['of type float8 cannot be a boolean', set('score: false'), PF],
      ['of type money may be a number', set('price: 1.5'), done],
      ['of type boolean may be a string', set('is_admin: "true"'), done],
      ['of type boolean cannot be a number', set('is_admin: 1'), PF],
      ['of type text cannot be a number', set('bio: 5'), PF],
      ['of type text cannot be a boolean', set('bio: true'), PF],
      ['of type text cannot be an enum value', set('bio: hello'), { ...PF, message: 'but found an enum value' }],
      ['of type text cannot be a list', set('bio: ["a"]'), PF],
      ['of type uuid cannot be a number', set('ident: 5'), PF],
      ['of type uuid that is none is rejected by the database', set('ident: "5"'), DE],
      ['of type date cannot be a number', set('born: 2000'), PF],
      ['of type timestamptz that is none is rejected by the database', set('at: "soon"'), DE],
      ['of type citext cannot be a number', set('mail: 5'), PF],
      ['of type bpchar cannot be a number', set('code: 5'), PF],
      ['of type interval cannot be a number', set('span: 5'), PF],
      ['of type inet cannot be a number', set('address: 5'), PF],
      ['of an enum type of PostgreSQL is a string', set('feel: "calm"'), done],
      ['of an enum type of PostgreSQL that is none is rejected by the database', set('feel: "sad"'), DE],
      ['of an enum type of PostgreSQL cannot be a number', set('feel: 5'), PF],
      ['of type ltree has labels', set('path: "a.b"'), done],
      ['of type ltree cannot have empty labels', set('path: "a..b"'), PF],
      ['of type ltree cannot be a number', set('path: 5'), PF],
      ['of a composite type is the text of a row', set('duo: "(1,a)"'), done],
      ['of an enum table is an enum value', set('color: blue'), done],
      ['of an enum table cannot be a string', set('color: "blue"'), VF],
      ['of an enum table must exist', set('color: pink'), VF],
      ['of an array type may be a list', set('tags: ["a", "b"]'), done],
      ['of an array type may contain null', set('tags: ["a", null]'), done],
      ['of an array type may be the text of an array', set('tags: "{a,b}"'), done],
      ['of an array type whose text is none is rejected by the database', set('tags: "a"'), DE],
      ['of an array type cannot contain another type', set('nums: ["x"]'), DE],
      ['of an array type cannot contain a fraction', set('nums: [1.5]'), PF],
      ['of an array type cannot be a number', set('tags: [5]'), PF],
      ['of type jsonb may be any JSON', set('doc: {a: [1, 2.5, "x", true, null]}'), done],
      ['of type jsonb may be an enum value, which is a string', set('doc: hello'), done],
      ['may be null', set('bio: null'), done],
      ['that may not be null is rejected by the database', set('name: null'), { code: 'constraint-violation' }],
    ],
  );

  prove(
    () => rules,
    [
      [
        'as an enum value',
        'mutation { update_author_by_pk(pk_columns: {id: 3}, _set: {doc: hello}) { doc } }',
        { data: { update_author_by_pk: { doc: 'hello' } } },
      ],
      [
        'as a string',
        'mutation { update_author_by_pk(pk_columns: {id: 3}, _set: {doc: "{\\"a\\": 1}"}) { doc } }',
        { data: { update_author_by_pk: { doc: '{"a": 1}' } } },
      ],
      [
        'with variables of any type, of which an absent one is null',
        'mutation ($a: Int, $b: String!, $c: jsonb) { update_author_by_pk(pk_columns: {id: 3}, _set: {doc: {a: $a, b: [$b], c: {d: $c}}}) { doc } }',
        { data: { update_author_by_pk: { doc: { a: null, b: ['x'], c: { d: [1] } } } } },
        { variables: { b: 'x', c: [1] } },
      ],
      [
        'as a variable',
        'mutation ($doc: jsonb) { update_author_by_pk(pk_columns: {id: 3}, _set: {doc: $doc}) { doc } }',
        { data: { update_author_by_pk: { doc: 'text' } } },
        { variables: { doc: 'text' } },
      ],
    ],
    'of type jsonb is stored ',
  );
});

describe('null', () => {
  prove(
    () => rules,
    [
      ['cannot be the operand of _eq', where('id: {_eq: null}'), { ...VF, message: 'unexpected null value' }],
      ['cannot be the operand of _gt', where('id: {_gt: null}'), VF],
      ['cannot be the operand of _neq', where('name: {_neq: null}'), VF],
      ['cannot be the operand of _like', where('name: {_like: null}'), VF],
      ['cannot be the list of _in', where('id: {_in: null}'), VF],
      ['cannot be in the list of _in', where('id: {_in: [1, null]}'), VF],
      ['cannot be the operand of _is_null', where('id: {_is_null: null}'), VF],
      ['cannot be the operand of _and', where('_and: null'), VF],
      ['cannot be the operand of _or', where('_or: null'), VF],
      ['cannot be the operand of _not', where('_not: null'), VF],
      ['cannot be the condition of a column', where('id: null'), VF],
      ['cannot be the condition of a relationship', where('articles: null'), VF],
      ['cannot be the operand of _contains', where('doc: {_contains: null}'), VF],
      ['cannot be the operand of _has_key', where('doc: {_has_key: null}'), VF],
      [
        'is the value of an absent variable, which cannot be the operand of _has_key',
        'query ($key: String) { author(where: {doc: {_has_key: $key}}) { id } }',
        VF,
      ],
      ['cannot be the operand of _has_keys_any', where('doc: {_has_keys_any: null}'), VF],
      ['as where is no condition', '{ author(where: null, order_by: {id: asc}) { id } }', ids(1, 2, 3)],
      [
        'as limit, offset, order_by and distinct_on is no argument',
        '{ author(limit: null, offset: null, order_by: null, distinct_on: null) { __typename } }',
        { data: { author: [{ __typename: 'author' }, { __typename: 'author' }, { __typename: 'author' }] } },
      ],
      [
        'cannot be the key of a row',
        '{ author_by_pk(id: null) { id } }',
        { ...VF, message: "unexpected null value for type 'Int'" },
      ],
      [
        'cannot be where of an update',
        'mutation { update_author(where: null, _set: {bio: "x"}) { affected_rows } }',
        VF,
      ],
      [
        'cannot be the value of a non-null variable',
        'query ($id: Int!) { author_by_pk(id: $id) { id } }',
        { ...VF, message: 'null value found for non-nullable type: "Int!"' },
        { variables: { id: null } },
      ],
      [
        'in a variable cannot be the operand of _eq',
        'query ($id: Int) { author(where: {id: {_eq: $id}}) { id } }',
        VF,
        { variables: { id: null } },
      ],
      [
        'is the value of an absent variable, which cannot be the operand of _eq',
        'query ($id: Int) { author(where: {id: {_eq: $id}}) { id } }',
        VF,
      ],
      [
        'in a variable as where is no condition',
        'query ($where: author_bool_exp) { author(where: $where, order_by: {id: asc}) { id } }',
        ids(1, 2, 3),
        { variables: { where: null } },
      ],
      [
        'within a variable cannot be the operand of _eq',
        'query ($where: author_bool_exp) { author(where: $where) { id } }',
        VF,
        { variables: { where: { id: { _eq: null } } } },
      ],
      [
        'within a variable cannot be the condition of a relationship',
        'query ($where: author_bool_exp) { author(where: $where) { id } }',
        VF,
        { variables: { where: { articles: null } } },
      ],
    ],
  );
});

describe('a variable', () => {
  const eq = (type: string, column: string, operator = '_eq') =>
    `query ($x: ${type}) { author(where: {${column}: {${operator}: $x}}, order_by: {id: asc}) { id } }`;
  prove(
    () => rules,
    [
      ['of type String is no uuid', eq('String', 'ident'), VF, { variables: { x: 'a' } }],
      ['of type String is no text of another name', eq('citext', 'name'), VF, { variables: { x: 'a' } }],
      ['of type Int is no float', eq('Int', 'ratio'), VF, { variables: { x: 1 } }],
      ['of type Int is no bigint', eq('Int', 'big'), VF, { variables: { x: 1 } }],
      ['of type Int is no list', eq('Int', 'id', '_in'), VF, { variables: { x: 1 } }],
      ['of a list of nullable values is no list of values', eq('[Int]', 'id', '_in'), VF, { variables: { x: [1] } }],
      ['of a list may be one value', eq('[Int!]', 'id', '_in'), ids(1), { variables: { x: 1 } }],
      [
        'of a non-null list fits a nullable position',
        eq('[Int!]!', 'id', '_in'),
        ids(1, 2),
        { variables: { x: [1, 2] } },
      ],
      ['of type Int may be a string, which the database parses', eq('Int!', 'id'), ids(1), { variables: { x: '1' } }],
      ['of type Int may not be any string', eq('Int!', 'id'), DE, { variables: { x: 'a' } }],
      ['of type Int cannot be a fraction', eq('Int!', 'id'), PF, { variables: { x: 1.5 } }],
      ['of type Int cannot be out of range', eq('Int!', 'id'), PF, { variables: { x: 3000000000 } }],
      ['of type Int cannot be a boolean', eq('Int!', 'id'), PF, { variables: { x: true } }],
      ['of type String cannot be a number', eq('String!', 'name'), PF, { variables: { x: 5 } }],
      ['of type String cannot be an object', eq('String!', 'name'), PF, { variables: { x: {} } }],
      ['of type uuid cannot be a number', eq('uuid!', 'ident'), PF, { variables: { x: 5 } }],
      ['of type numeric may be a string', eq('numeric!', 'exact'), ids(1), { variables: { x: '1.5' } }],
      ['of type interval cannot be a number', eq('interval!', 'span'), PF, { variables: { x: 5 } }],
      ['of an enum may be a string', eq('color_enum!', 'color'), ids(1), { variables: { x: 'red' } }],
      ['of an enum must exist', eq('color_enum!', 'color'), VF, { variables: { x: 'pink' } }],
      ['of an enum cannot be a number', eq('color_enum!', 'color'), VF, { variables: { x: 5 } }],
      [
        'that is nullable does not fit a non-null position',
        'query ($x: Int) { author_by_pk(id: $x) { id } }',
        VF,
        { variables: { x: 1 } },
      ],
      [
        'with a default value fits a non-null position',
        'query ($x: Int = 1) { author_by_pk(id: $x) { id } }',
        { data: { author_by_pk: { id: 1 } } },
      ],
      [
        'with the default value null does not fit a non-null position',
        'query ($x: Int = null) { author_by_pk(id: $x) { id } }',
        VF,
      ],
      [
        'that is not declared is rejected',
        '{ author_by_pk(id: $x) { id } }',
        { ...VF, message: 'unbound variable "x"' },
      ],
      [
        'that is declared twice is rejected',
        'query ($x: Int!, $x: Int!) { author_by_pk(id: $x) { id } }',
        { ...PF, message: 'multiple definitions for variable "x"' },
        { variables: { x: 1 } },
      ],
      [
        'that is given and not used is rejected',
        'query ($x: Int) { author_by_pk(id: 1) { id } }',
        { ...VF, message: 'unexpected variables in variableValues' },
        { variables: { x: 1 } },
      ],
      [
        'that is not used is accepted',
        'query ($x: Int) { author_by_pk(id: 1) { id } }',
        { data: { author_by_pk: { id: 1 } } },
      ],
      [
        'that is given and not declared is rejected',
        '{ author_by_pk(id: 1) { id } }',
        { ...VF, message: 'unexpected variables in variableValues' },
        { variables: { y: 1 } },
      ],
      [
        'that is non-null needs a value',
        'query ($x: Int!) { author_by_pk(id: $x) { id } }',
        { ...VF, message: 'expecting a value for non-nullable variable: "x"' },
      ],
      ['of an unknown type is rejected', 'query ($x: Nothing) { author_by_pk(id: 1) { id } }', VF],
      ['of an output type is rejected', 'query ($x: author) { author_by_pk(id: 1) { id } }', VF],
      [
        'may contain a whole condition',
        'query ($x: author_bool_exp!) { author(where: {_and: [$x]}, order_by: {id: asc}) { id } }',
        ids(2),
        { variables: { x: { name: { _eq: 'Bob' } } } },
      ],
      [
        'with unknown members is rejected',
        'query ($x: author_bool_exp!) { author(where: $x) { id } }',
        { ...VF, message: "field 'none' not found in type: 'author_bool_exp'" },
        { variables: { x: { none: 1 } } },
      ],
      [
        'of an enum list may be one string',
        'query ($x: [author_select_column!]) { author(distinct_on: $x, limit: 1, order_by: {id: asc}) { id } }',
        ids(1),
        { variables: { x: 'id' } },
      ],
    ],
  );
});

describe('a single value is a list of one', () => {
  prove(
    () => rules,
    [
      ['in _in', where('id: {_in: 1}'), ids(1)],
      ['in _and', where('_and: {id: {_eq: 1}}'), ids(1)],
      ['in _or', where('_or: {id: {_eq: 1}}'), ids(1)],
      ['in order_by', '{ author(order_by: {id: desc}) { id } }', ids(3, 2, 1)],
      [
        'in objects',
        'mutation { insert_lonely(objects: {note: "x"}) { affected_rows } }',
        { data: { insert_lonely: { affected_rows: 1 } } },
      ],
      ['in _has_keys_any', where('doc: {_has_keys_any: "a"}'), ids(1)],
      [
        'in the variable of a list of objects',
        'mutation ($x: [lonely_insert_input!]!) { insert_lonely(objects: $x) { affected_rows } }',
        { data: { insert_lonely: { affected_rows: 1 } } },
        { variables: { x: { note: 'y' } } },
      ],
    ],
  );
});

describe('an argument that is no value of a column takes no string', () => {
  prove(
    () => rules,
    [
      ['limit', '{ author(limit: "1") { id } }', VF],
      ['limit in a variable', 'query ($x: Int) { author(limit: $x) { id } }', VF, { variables: { x: '1' } }],
      ['_is_null', where('id: {_is_null: "true"}'), VF],
      ['distinct of count', '{ author_aggregate { aggregate { count(distinct: "true") } } }', VF],
      ['batch_size', 'subscription { author_stream(batch_size: "1", cursor: {initial_value: {id: 0}}) { id } }', VF],
      ['include', '{ author_by_pk(id: 1) @include(if: "true") { id } }', VF],
    ],
  );
});
