-- A roastery that sells coffee: nine tables, a view and an enum type.

create type order_status as enum ('placed', 'roasting', 'shipped', 'returned');

create table category (
  id integer generated always as identity primary key,
  name text not null unique,
  parent_id integer references category (id)
);

create table product (
  id integer generated always as identity primary key,
  category_id integer not null references category (id),
  name text not null,
  price numeric(10, 2) not null check (price >= 0),
  tags text[] not null default '{}',
  attributes jsonb not null default '{}',
  added_at timestamptz not null
);
comment on column product.attributes is 'origin, altitude in meters, and the text of the label';

create table customer (
  id integer generated always as identity primary key,
  name text not null,
  email text not null unique,
  country char(2) not null,
  credit numeric(12, 4) not null default 0,
  preferences json,
  joined_at timestamptz not null
);

create table orders (
  id integer generated always as identity primary key,
  customer_id integer not null references customer (id),
  status order_status not null default 'placed',
  placed_at timestamptz not null,
  note text
);
create index on orders (customer_id);

create table order_line (
  order_id integer not null references orders (id),
  position smallint not null,
  product_id integer not null references product (id),
  quantity integer not null check (quantity > 0),
  unit_price numeric(10, 2) not null,
  primary key (order_id, position)
);
create index on order_line (product_id);

create table shipment (
  id uuid primary key,
  order_id integer not null references orders (id),
  carrier text not null,
  tracking_codes text[] not null,
  sent_at timestamptz not null
);
create index on shipment (order_id);

create table review (
  id bigint generated always as identity primary key,
  product_id integer not null references product (id),
  customer_id integer not null references customer (id),
  stars smallint not null check (stars between 1 and 5),
  body text,
  written_at timestamptz not null
);
create index on review (product_id);
create index on review (customer_id);

create table warehouse (
  code text primary key,
  city text not null
);

create table stock (
  warehouse_code text not null references warehouse (code),
  product_id integer not null references product (id),
  bags integer not null,
  primary key (warehouse_code, product_id)
);

create view order_total as
select o.id as order_id, o.customer_id, sum(l.quantity * l.unit_price) as total, sum(l.quantity) as bags
from orders o
join order_line l on l.order_id = o.id
group by o.id;
