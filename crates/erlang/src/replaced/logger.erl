%% Nothing is logged: what a log would show is in the report. Handlers are not there: they would be called.
-module(logger).
-export([allow/2, macro_log/3, macro_log/4, macro_log/5, log/2, log/3, log/4,
         emergency/1, emergency/2, emergency/3, alert/1, alert/2, alert/3, critical/1, critical/2, critical/3,
         error/1, error/2, error/3, warning/1, warning/2, warning/3, notice/1, notice/2, notice/3,
         info/1, info/2, info/3, debug/1, debug/2, debug/3,
         set_process_metadata/1, update_process_metadata/1, get_process_metadata/0, unset_process_metadata/0,
         set_primary_config/1, set_primary_config/2, get_primary_config/0, set_module_level/2,
         compare_levels/2, timestamp/0]).
allow(_, _) -> false.
macro_log(_, _, _) -> ok.
macro_log(_, _, _, _) -> ok.
macro_log(_, _, _, _, _) -> ok.
log(_, _) -> ok.
log(_, _, _) -> ok.
log(_, _, _, _) -> ok.
emergency(_) -> ok.
emergency(_, _) -> ok.
emergency(_, _, _) -> ok.
alert(_) -> ok.
alert(_, _) -> ok.
alert(_, _, _) -> ok.
critical(_) -> ok.
critical(_, _) -> ok.
critical(_, _, _) -> ok.
error(_) -> ok.
error(_, _) -> ok.
error(_, _, _) -> ok.
warning(_) -> ok.
warning(_, _) -> ok.
warning(_, _, _) -> ok.
notice(_) -> ok.
notice(_, _) -> ok.
notice(_, _, _) -> ok.
info(_) -> ok.
info(_, _) -> ok.
info(_, _, _) -> ok.
debug(_) -> ok.
debug(_, _) -> ok.
debug(_, _, _) -> ok.
set_process_metadata(M) -> put('$logger_metadata$', M), ok.
update_process_metadata(M) ->
    case get('$logger_metadata$') of
        undefined -> put('$logger_metadata$', M);
        Old -> put('$logger_metadata$', maps:merge(Old, M))
    end,
    ok.
get_process_metadata() -> get('$logger_metadata$').
unset_process_metadata() -> erase('$logger_metadata$'), ok.
set_primary_config(Config) -> persistent_term:put('$logger_primary$', maps:merge(default_config(), Config)).
set_primary_config(Key, Value) -> persistent_term:put('$logger_primary$', (get_primary_config())#{Key => Value}).
get_primary_config() -> persistent_term:get('$logger_primary$', default_config()).
default_config() -> #{level => notice, metadata => #{}, filters => [], filter_default => log}.
set_module_level(_, _) -> ok.
compare_levels(A, B) ->
    case {level(A), level(B)} of
        {X, X} -> eq;
        {X, Y} when X < Y -> gt;
        _ -> lt
    end.
level(none) -> -1;
level(emergency) -> 0;
level(alert) -> 1;
level(critical) -> 2;
level(error) -> 3;
level(warning) -> 4;
level(notice) -> 5;
level(info) -> 6;
level(debug) -> 7;
level(all) -> 10.
timestamp() -> os:system_time(microsecond).
