%% The module that the tests of meck replace.
-module(meck_original).
-export([one/0, two/0]).

one() -> 1.
two() -> 2.
