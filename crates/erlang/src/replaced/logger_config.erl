%% The configuration of `logger`. As long as a program does not change it, it is that of a booted node, and to read it is no
%% step; OTP's own reports are then not made, since the default handler would not print them here.
-module(logger_config).
-export([allow/1, allow/2, exist/2, get/2, get/3, create/3, set/3, delete/2, set_module_level/2, unset_module_level/1,
         get_module_level/0, level_to_int/1]).
all() ->
    case raddle:is_logger_configured() of
        true ->
            case raddle:logger_config() of
                default -> default();
                Config -> Config
            end;
        false -> default()
    end.
change(Key, Value) -> raddle:set_logger_config((all())#{Key => Value}).
default() ->
    #{primary => #{level => notice, metadata => #{}, filters => [], filter_default => log, handlers => [default]},
      {handler, default} =>
          #{id => default, module => logger_std_h, level => all, filter_default => stop,
            filters => [{remote_gl, {fun logger_filters:remote_gl/2, stop}},
                        {domain, {fun logger_filters:domain/2, {log, super, [otp, sasl]}}},
                        {no_domain, {fun logger_filters:domain/2, {log, undefined, []}}}],
            formatter => {logger_formatter, #{legacy_header => true, single_line => false}},
            config => logger_std_h:default_config()}}.
key(primary) -> primary;
key(proxy) -> proxy;
key(Id) -> {handler, Id}.
allow(Level) -> enabled(Level, maps:get(level, maps:get(primary, all()))).
allow(Level, Module) ->
    case raddle:is_logger_configured() orelse not raddle:is_of_otp(Module) of
        true ->
            All = all(),
            enabled(Level, maps:get({module, Module}, All, maps:get(level, maps:get(primary, All))));
        false -> false
    end.
enabled(Level, Least) -> level_to_int(Level) =< level_to_int(Least).
exist(_, What) -> maps:is_key(key(What), all()).
get(_, proxy) -> {ok, logger_proxy:get_default_config()};
get(_, What) ->
    case all() of
        #{primary := Config} when What =:= primary -> {ok, Config};
        #{{handler, What} := Config} -> {ok, Config};
        _ -> {error, {not_found, What}}
    end.
get(Table, What, Level) ->
    case get(Table, What) of
        {ok, #{level := Least}} = Found ->
            case enabled(Level, Least) of
                true -> Found;
                false -> error
            end;
        NotFound -> NotFound
    end.
create(_, What, Config) -> change(key(What), Config).
set(_, What, Config) -> change(key(What), Config).
delete(_, What) -> raddle:set_logger_config(maps:remove(key(What), all())).
set_module_level(Modules, Level) ->
    lists:foreach(fun(Module) -> change({module, Module}, Level) end, Modules).
unset_module_level(all) -> unset_module_level([Module || {Module, _} <- get_module_level()]);
unset_module_level(Modules) ->
    raddle:set_logger_config(maps:without([{module, Module} || Module <- Modules], all())).
get_module_level() -> lists:sort([{Module, Level} || {{module, Module}, Level} <- maps:to_list(all())]).
level_to_int(none) -> -1;
level_to_int(emergency) -> 0;
level_to_int(alert) -> 1;
level_to_int(critical) -> 2;
level_to_int(error) -> 3;
level_to_int(warning) -> 4;
level_to_int(notice) -> 5;
level_to_int(info) -> 6;
level_to_int(debug) -> 7;
level_to_int(all) -> 10.
