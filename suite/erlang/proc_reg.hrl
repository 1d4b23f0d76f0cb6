%% Which of the four versions of proc_reg: see there.
-ifndef(VERSION).
-define(VERSION, 1).
-endif.
