-- Three migrations make the log of calls a table with a partition for each day, without writing its rows again. This one limits the
-- present table to rows of the next seven days, so that it can be a partition. Present rows are not read.
do $$
begin
  set local timezone = 'UTC';
  -- All outcomes would wait behind a lock that waits for a long query.
  perform set_config('lock_timeout', '100ms', true);
  loop
    begin
      lock table joinery.event_invocations in access exclusive mode;
      exit;
    exception when lock_not_available then
      perform pg_sleep(0.4);
    end;
  end loop;
  execute format(
    'alter table joinery.event_invocations add constraint event_invocations_before check (created_at < %L) not valid',
    to_char(date_trunc('day', now()) + interval '7 days', 'YYYY-MM-DD"Z"')
  );
  perform set_config('lock_timeout', '0', true);
end
$$;
