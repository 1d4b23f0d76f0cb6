{application, my_app,
 [{description, "An application with a supervisor"},
  {vsn, "1"},
  {registered, []},
  {applications, [kernel, stdlib]},
  {env, [{greeting, "hello"}, {number, 1}]},
  {mod, {my_app, []}}]}.
