/** Geometry, geography and raster: the types of PostGIS. */

import type { ColumnType, TypeFamily } from '../types/column-type.ts';
import type { ArgumentShape, Operator, OperatorMember } from '../types/operator.ts';
import { booleanType, doubleType, integerType, siblingType } from './column-types.ts';
import { call } from './operators-common.ts';

function spatial(
  name: string,
  function_: string,
  families: readonly TypeFamily[],
  description: string,
  argument: ArgumentShape = 'same',
  members?: Operator['members'],
): Operator {
  const appliesTo = ({ family }: ColumnType) => families.includes(family);
  return { name, appliesTo, argument, print: call(function_), description, ...(members && { members }) };
}

function required(name: string, type: ColumnType): OperatorMember {
  return { name, type, default: undefined };
}

/** Meters for geography, units of the reference system for geometry. */
const distance = required('distance', { ...doubleType, scalar: 'Float' });

const within: Operator['members'] = (type) => [required('from', type), distance];

const withinSpheroid: Operator['members'] = (type) => [
  required('from', type),
  distance,
  { name: 'use_spheroid', type: booleanType, default: true },
];

const nbandGeom: Operator['members'] = (type) => [
  required('nband', integerType),
  required('geommin', siblingType(type, 'geometry')),
];

const geomNband: Operator['members'] = (type) => [
  required('geommin', siblingType(type, 'geometry')),
  { name: 'nband', type: integerType, default: null },
];

export const spatialOperators: readonly Operator[] = [
  spatial('_st_contains', 'st_contains', ['geometry'], 'contains the geometry'),
  spatial('_st_crosses', 'st_crosses', ['geometry'], 'crosses the geometry'),
  spatial('_st_equals', 'st_equals', ['geometry'], 'is equal to the geometry, whatever the direction'),
  spatial('_st_overlaps', 'st_overlaps', ['geometry'], 'overlaps with the geometry, neither containing the other'),
  spatial('_st_touches', 'st_touches', ['geometry'], 'touches the geometry, their insides apart'),
  spatial('_st_within', 'st_within', ['geometry'], 'lies within the geometry'),
  spatial('_st_intersects', 'st_intersects', ['geometry', 'geography'], 'has a point in common with the value'),
  spatial('_st_3d_intersects', 'st_3dintersects', ['geometry'], 'has a point in common with the geometry in 3D'),
  spatial(
    '_st_d_within',
    'st_dwithin',
    ['geometry'],
    'is no further from the geometry than the distance',
    { input: 'st_d_within_input' },
    within,
  ),
  spatial(
    '_st_d_within',
    'st_dwithin',
    ['geography'],
    'is no further from the geography than the distance in meters',
    { input: 'st_d_within_geography_input' },
    withinSpheroid,
  ),
  spatial(
    '_st_3d_d_within',
    'st_3ddwithin',
    ['geometry'],
    'is no further from the geometry in 3D than the distance',
    { input: 'st_d_within_input' },
    within,
  ),
  spatial('_st_intersects_rast', 'st_intersects', ['raster'], 'has a point in common with the raster'),
  spatial(
    '_st_intersects_nband_geom',
    'st_intersects',
    ['raster'],
    'has a band that has a point in common with the geometry',
    { input: 'st_intersects_nband_geom_input' },
    nbandGeom,
  ),
  spatial(
    '_st_intersects_geom_nband',
    'st_intersects',
    ['raster'],
    'has a point in common with the geometry, in one band or in all',
    { input: 'st_intersects_geom_nband_input' },
    geomNband,
  ),
];
