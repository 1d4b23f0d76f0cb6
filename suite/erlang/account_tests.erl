-module(account_tests).
-include_lib("eunit/include/eunit.hrl").

two_deposits_test() ->
    {ok, Account} = account:start_link(),
    Self = self(),
    [spawn_link(fun() -> account:deposit(Account, 10), Self ! done end) || _ <- [1, 2]],
    receive done -> ok end,
    receive done -> ok end,
    ?assertEqual(20, account:balance(Account)).
