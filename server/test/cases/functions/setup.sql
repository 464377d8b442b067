create table author (id int primary key, name text not null, born int);
create table article (id int primary key, title text not null, author_id int not null references author, rating int);
create table log (id serial primary key, line text);
insert into author values (1, 'Ann', 1970), (2, 'Bo', 1990);
insert into article values (1, 'Trees', 1, 3), (2, 'Stones', 2, 5), (3, 'Trees again', 2, 4);
create function search(text text, lowest int default 0, highest int default 10) returns setof article
  language sql stable as $$
    select * from article where title ilike '%' || search.text || '%' and rating between lowest and highest
  $$;
create function newest() returns article language sql stable as $$ select * from article order by id desc limit 1 $$;
create function mine(session json) returns setof article language sql stable as $$
  select * from article where author_id = (session ->> 'x-service-user-id')::int
$$;
create function note(line text) returns setof log language sql volatile as $$
  insert into log (line) values (note.line) returning *
$$;
create function age(author, year int) returns int language sql immutable as $$ select $2 - $1.born $$;
create function shout(author) returns text language sql immutable as $$ select upper($1.name) $$;
create function best(author, lowest int default 0) returns setof article language sql stable as $$
  select * from article where author_id = $1.id and rating >= $2
$$;
