-- Several thousand rows, the same in every run: values that look random are computed from the number of the row.

create function pg_temp.pick(seed text, below integer) returns integer
language sql immutable
return (('x' || substr(md5(seed), 1, 7))::bit(28)::integer) % below;

insert into category (name, parent_id) values
  ('Coffee', null), ('Equipment', null), ('Filter', 1), ('Espresso', 1), ('Decaf', 1), ('Grinders', 2), ('Kettles', 2);

insert into product (category_id, name, price, tags, attributes, added_at)
select
  3 + pg_temp.pick('category' || n, 5),
  (array['Sierra', 'Harbour', 'Lantern', 'Meadow', 'Copper', 'Juniper', 'Willow', 'Granite'])[1 + pg_temp.pick('first' || n, 8)]
    || ' ' || (array['Blend', 'Reserve', 'Morning', 'Peaberry', 'Roast', 'Select'])[1 + pg_temp.pick('second' || n, 6)] || ' ' || n,
  4 + pg_temp.pick('price' || n, 4000) / 100.0,
  (array['washed', 'natural', 'honey', 'organic', 'single-origin'])[1 : 1 + pg_temp.pick('tags' || n, 5)],
  jsonb_build_object(
    'origin', (array['Ethiopia', 'Colombia', 'Kenya', 'Guatemala', 'Sumatra'])[1 + pg_temp.pick('origin' || n, 5)],
    'altitude', 900 + pg_temp.pick('altitude' || n, 1300),
    'label', jsonb_build_object('notes', jsonb_build_array('cocoa', 'plum'))
  ),
  timestamptz '2025-01-01 08:00+00' + n * interval '31 hours'
from generate_series(1, 240) as n;

insert into customer (name, email, country, credit, preferences, joined_at)
select
  (array['Ada', 'Bruno', 'Chiara', 'Dmitri', 'Esra', 'Femke', 'Gita', 'Hugo', 'Ines', 'Jonas'])[1 + pg_temp.pick('name' || n, 10)]
    || ' ' || (array['Alder', 'Birch', 'Cedar', 'Elm', 'Fir', 'Hazel', 'Maple', 'Oak'])[1 + pg_temp.pick('surname' || n, 8)],
  'customer' || n || '@example.com',
  (array['DE', 'FR', 'IT', 'NL', 'SE', 'PT'])[1 + pg_temp.pick('country' || n, 6)],
  pg_temp.pick('credit' || n, 1000000) / 10000.0,
  json_build_object('grind', (array['whole', 'fine', 'coarse'])[1 + pg_temp.pick('grind' || n, 3)], 'newsletter', n % 3 = 0),
  timestamptz '2024-06-01 12:00+00' + n * interval '17 hours'
from generate_series(1, 300) as n;

insert into orders (customer_id, status, placed_at, note)
select
  1 + pg_temp.pick('customer' || n, 300),
  (enum_range(null::order_status))[1 + pg_temp.pick('status' || n, 4)],
  timestamptz '2026-01-01 09:00+00' + n * interval '3 hours 7 minutes',
  case when n % 5 = 0 then 'Please leave it at the door.' end
from generate_series(1, 2000) as n;

insert into order_line (order_id, position, product_id, quantity, unit_price)
select o.id, p.position, product.id, 1 + pg_temp.pick('quantity' || o.id || '/' || p.position, 6), product.price
from orders o
cross join lateral generate_series(1, 1 + pg_temp.pick('lines' || o.id, 4)) as p (position)
join product on product.id = 1 + pg_temp.pick('product' || o.id || '/' || p.position, 240);

insert into shipment (id, order_id, carrier, tracking_codes, sent_at)
select md5('shipment' || o.id)::uuid, o.id, (array['Tern', 'Carrier Nine', 'Bluebird'])[1 + pg_temp.pick('carrier' || o.id, 3)],
  array['T' || o.id, 'P' || (o.id * 7)], o.placed_at + interval '2 days'
from orders o
where o.status in ('shipped', 'returned');

insert into review (product_id, customer_id, stars, body, written_at)
select 1 + pg_temp.pick('reviewed' || n, 240), 1 + pg_temp.pick('reviewer' || n, 300), 1 + pg_temp.pick('stars' || n, 5),
  case when n % 4 <> 0 then 'Tastes of batch ' || n end, timestamptz '2026-02-01 10:00+00' + n * interval '5 hours'
from generate_series(1, 900) as n;

insert into warehouse (code, city) values ('HAM', 'Hamburg'), ('LIS', 'Lisbon'), ('MAL', 'Malmö');

insert into stock (warehouse_code, product_id, bags)
select w.code, p.id, pg_temp.pick('stock' || w.code || p.id, 400)
from warehouse w
cross join product p;
