%% How many processes the registration server takes. The thesis says 2.
-ifndef(MAX_ATTACHED_PROC).
-define(MAX_ATTACHED_PROC, 2).
-endif.
%% The listing up to which the server is developed: 604 is Listing 6.4. The last is 628.
-ifndef(STEP).
-define(STEP, 628).
-endif.
