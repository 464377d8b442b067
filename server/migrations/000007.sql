-- Requests of callers that are held to a rate, counted over all nodes where that is asked for.

create table joinery.request_counts (
  caller text primary key,
  -- Since 1970.
  minute bigint not null,
  taken integer not null,
  -- To the node that asked last.
  granted integer not null
);
