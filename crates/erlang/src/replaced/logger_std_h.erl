%% The handler that prints. Its output is kept with the process that logs. What OTP reports itself is not printed: the report
%% of a failure shows it.
-module(logger_std_h).
-export([log/2, adding_handler/1, changing_config/3, removing_handler/1, filter_config/1, default_config/0, filesync/1]).
default_config() ->
    #{type => standard_io, burst_limit_enable => true, burst_limit_max_count => 500, burst_limit_window_time => 1000,
      drop_mode_qlen => 200, filesync_repeat_interval => no_repeat, flush_qlen => 1000, overload_kill_enable => false,
      overload_kill_mem_size => 3000000, overload_kill_qlen => 20000, overload_kill_restart_after => 5000,
      sync_mode_qlen => 10}.
log(#{meta := #{domain := [otp | _]}}, _) -> ok;
log(Event, #{formatter := {Formatter, Config}}) -> io:put_chars(user, Formatter:format(Event, Config)).
adding_handler(Config) -> {ok, checked(Config, default_config())}.
changing_config(_, #{config := Old}, Config) -> {ok, checked(Config, Old)}.
checked(Config, Default) ->
    case maps:merge(Default, maps:get(config, Config, #{})) of
        #{type := Type} = Own when Type =:= standard_io; Type =:= standard_error -> Config#{config => Own};
        _ -> raddle_native:unsupported_call('logger_std_h with a file')
    end.
removing_handler(_) -> ok.
filter_config(Config) -> Config.
filesync(_) -> ok.
