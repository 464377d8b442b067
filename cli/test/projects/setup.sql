create table author (id int primary key, name text not null, born int, profile jsonb, status text);
create table article (
  id int primary key, title text not null, body text, published bool not null default false,
  author_id int references author (id), "weird.name" text
);
create table status (value text primary key, comment text);
insert into status values ('active', 'writes'), ('retired', null);
alter table author add foreign key (status) references status (value);
create schema library;
create table library.loan (id int primary key, article_id int references article (id), borrower int, due date);
create function search_articles(term text) returns setof article language sql stable
  as $$ select * from article where title ilike '%' || term || '%' $$;
create function author_label(author_row author) returns text language sql stable
  as $$ select author_row.name || ' *' || author_row.born $$;
create function library.late_loans() returns setof library.loan language sql stable
  as $$ select * from library.loan where due < current_date $$;
